module consumer {
  requires io.heddle.apache;
}
