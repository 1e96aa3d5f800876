module consumer {
  requires io.heddle.ahc;
}
