package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.apache.BlockingConnectionManager;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** What the starter knows of the builder of Apache's pool is so. */
class ApacheInternalsTest {

  @Test
  void whatACustomizerSetsOnApachesPoolIsTakenOver() {
    List<BlockingConnectionManager> opened = new ArrayList<>();
    try (ApacheRequestFactoryBuilder builder =
        ApacheRequestFactoryBuilder.create()
            .with(
                boot ->
                    boot.withConnectionManagerCustomizer(
                        pool -> pool.setMaxConnPerRoute(7).setMaxConnTotal(70)))) {
      builder.onOpen(opened::add);
      builder.build();

      assertEquals(7, opened.getFirst().getDefaultMaxPerRoute());
      assertEquals(70, opened.getFirst().getMaxTotal());
    }
  }

  @Test
  void unlessOneSaysMoreHeddlesLimitsHold() {
    List<BlockingConnectionManager> opened = new ArrayList<>();
    try (ApacheRequestFactoryBuilder builder = ApacheRequestFactoryBuilder.create()) {
      builder.onOpen(opened::add);
      builder.build();

      assertEquals(1000, opened.getFirst().getDefaultMaxPerRoute());
      assertEquals(10_000, opened.getFirst().getMaxTotal());
    }
  }

  /** To trust whom the application does not trust would be worse than to fail. */
  @Test
  void tlsThatServesApachesPoolOnlyIsRefused() {
    TlsSocketStrategy theirs =
        (socket, target, port, attachment, context) -> {
          throw new AssertionError("not called");
        };
    try (ApacheRequestFactoryBuilder builder =
        ApacheRequestFactoryBuilder.create()
            .with(boot -> boot.withTlsSocketStrategyFactory(bundle -> theirs))) {
      IllegalStateException refused =
          assertThrows(IllegalStateException.class, () -> builder.build());
      assertTrue(refused.toString().contains("TlsSocketStrategy"), refused::toString);
    }
  }

  @Test
  void theBuilderOfAClientTakesWhatItsCloseIsToDo() throws IOException {
    List<String> done = new ArrayList<>();
    HttpClientBuilder builder = HttpClientBuilder.create();
    ApacheInternals.onClose(builder, () -> done.add("closed"));
    try (CloseableHttpClient client = builder.build()) {
      assertEquals(List.of(), done, client::toString);
    }
    assertEquals(List.of("closed"), done);
  }

  @Test
  void nativeImagesKeepWhatIsReflectedOn() {
    RuntimeHints hints = new RuntimeHints();
    new ApacheInternals.Hints().registerHints(hints, null);

    assertTrue(
        RuntimeHintsPredicates.reflection()
            .onFieldAccess(ApacheInternals.field("dnsResolver"))
            .test(hints));
    assertTrue(
        RuntimeHintsPredicates.reflection()
            .onMethodInvocation(ApacheInternals.addCloseable())
            .test(hints));
  }
}
