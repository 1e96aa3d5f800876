package io.heddle.conformance;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.function.Consumer;

/** Calls that have a library run all the user code that its driver puts a probe in. */
record UserCode(Kit kit, Consumer<String> probe) {

  static final String LOOKUP = "look-up";
  static final String WRITER = "writer";
  static final String STREAM = "stream";

  private static final String USER = "penelope";
  private static final String PASSWORD = "ithaca";

  /** Redirects, cookies, credentials, gzip and a look-up in place of the name service. */
  ClientSettings.Builder settings() {
    NameLookup lookup =
        host -> {
          probe.accept(LOOKUP);
          return List.of(InetAddress.getLoopbackAddress());
        };
    return kit.settings()
        .lookup(lookup)
        .probe(probe)
        .followRedirects()
        .cookies()
        .decompress()
        .credentials(USER, PASSWORD);
  }

  /** A redirect, a challenge, cookies, gzip, a name, a writer and a stream; all succeed. */
  void run(Client client, String host) throws Exception {
    redirectAndChallenge(client, host);
    URI uri = kit.uri(ok());
    BodyWriter writer =
        out -> {
          probe.accept(WRITER);
          Contents.writer(1_000_000).writeTo(out);
          probe.accept(WRITER);
        };
    kit.assertWhole(kit.execute(client, Call.post(uri, new Body.Writer(writer))), 200, 1000);
    InputStream stream =
        new FilterInputStream(Contents.stream(1_000_000)) {
          @Override
          public int read(byte[] b, int off, int len) throws IOException {
            probe.accept(STREAM);
            return super.read(b, off, len);
          }
        };
    kit.assertWhole(
        kit.execute(client, Call.post(kit.uri(ok()), new Body.Stream(stream, -1))), 200, 1000);
  }

  /** The part without bodies. */
  void redirectAndChallenge(Client client, String host) throws Exception {
    URI target = kit.server().uri(host, ok().gzip());
    Script redirect = Script.answer(302).header("Location", target.toString());
    kit.assertWhole(kit.get(client, redirect), 200, 1000);
    // Not by the redirect: a client does well not to take credentials to another host.
    kit.assertWhole(kit.get(client, ok().requires(USER, PASSWORD)), 200, 1000);
  }

  private static Script ok() {
    return Script.ok().body(1000).header("Set-Cookie", "warp=weft; Path=/");
  }
}
