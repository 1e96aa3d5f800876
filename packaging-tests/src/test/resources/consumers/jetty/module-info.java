module consumer {
  requires io.heddle.jetty;
}
