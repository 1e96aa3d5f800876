module consumer {
  requires io.heddle.jersey;
}
