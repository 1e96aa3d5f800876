/** Jersey's JAX-RS client on Heddle's Apache connection manager, for virtual threads. */
module io.heddle.jersey {
  requires transitive io.heddle.apache;
  requires transitive jakarta.ws.rs;
  requires transitive jersey.client;
  requires transitive jersey.common;
  requires jakarta.annotation;
  requires jakarta.inject;
  requires jersey.apache5.connector;
  requires static org.jspecify;

  exports io.heddle.jersey;
}
