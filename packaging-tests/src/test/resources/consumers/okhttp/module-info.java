module consumer {
  requires io.heddle.okhttp;
}
