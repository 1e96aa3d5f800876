package io.heddle.conformance;

import java.net.URI;

/** TL: what only TLS has. */
interface TlsRules {

  @Rule("TL-01")
  default void deadlineInHandshake(Kit kit) throws Exception {
    DeadlineRules.assertDeadlineEnds(kit, Standstill.HANDSHAKE);
  }

  @Rule("TL-02")
  default void interruptInHandshake(Kit kit) throws Exception {
    CancelRules.assertInterruptEnds(kit, Standstill.HANDSHAKE);
  }

  @Rule("TL-03")
  default void cancelInHandshake(Kit kit) throws Exception {
    CancelRules.assertCancelEnds(kit, Standstill.HANDSHAKE);
  }

  @Rule("TL-04")
  default void clientClosedInHandshake(Kit kit) throws Exception {
    LifeRules.assertCloseEnds(kit, Standstill.HANDSHAKE);
  }

  @Rule("TL-05")
  default void untrustedCertificate(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().trust(null));
    assertUntrusted(kit, client, kit.uri(Script.ok()));
  }

  @Rule("TL-06")
  default void certificateOfAnotherHost(Kit kit) throws Exception {
    FaultServer other = kit.server(Certificates.ANOTHER_HOST, 100);
    Client client = kit.open(kit.settings().trust(Certificates.ANOTHER_HOST.certificate()));
    assertUntrusted(kit, client, other.uri(Script.ok()));
  }

  private static void assertUntrusted(Kit kit, Client client, URI uri) {
    for (int i = 0; i < 2; i++) {
      Throwable failure = TraceRules.failureOf(kit, client, Call.get(uri));
      kit.assertExpected(Failure.UNTRUSTED, failure);
      TraceRules.assertShowsCaller(failure);
      kit.assertIdle(client);
    }
  }
}
