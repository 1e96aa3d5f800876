/** AsyncHttpClient for code that blocks, on its own Netty engine, for virtual threads. */
module io.heddle.ahc {
  requires transitive io.heddle.core;
  requires transitive async.http.client;
  requires transitive io.netty.buffer;
  requires transitive io.netty.codec.http;
  requires transitive io.netty.common;
  requires transitive io.netty.transport;
  requires io.netty.codec;
  requires io.netty.codec.http2;
  requires io.netty.handler;
  requires io.netty.resolver;
  requires org.slf4j;
  requires static org.jspecify;

  // AHC's jar does not say itself what else it needs.
  requires io.netty.codec.compression;
  requires io.netty.codec.socks;
  requires io.netty.handler.proxy;
  requires io.netty.resolver.dns;
  requires java.security.jgss;
  requires org.jetbrains.annotations;

  exports io.heddle.ahc;
}
