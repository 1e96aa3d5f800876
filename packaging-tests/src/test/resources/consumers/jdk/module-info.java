module consumer {
  requires io.heddle.jdk;
}
