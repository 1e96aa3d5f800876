package io.heddle.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.api.Test;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

/** Users' code with Apache's client becomes users' code with ours. */
class ApacheTest implements RewriteTest {

  @Override
  public void defaults(RecipeSpec spec) {
    Recipes.run(spec, "io.heddle.MigrateApacheHttpClient");
  }

  @Test
  void aBuilderWithSupportedSetters() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.core5.util.TimeValue;

            class Orders {
              final CloseableHttpClient client =
                  HttpClients.custom()
                      .setUserAgent("orders/1.0")
                      .evictIdleConnections(TimeValue.ofMinutes(1))
                      .build();
            }
            """,
            """
            import io.heddle.apache.BlockingHttpClients;
            import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
            import org.apache.hc.core5.util.TimeValue;

            class Orders {
              final CloseableHttpClient client =
                  BlockingHttpClients.custom()
                      .setUserAgent("orders/1.0")
                      .evictIdleConnections(TimeValue.ofMinutes(1))
                      .build();
            }
            """));
  }

  @Test
  void allWaysToMakeAClient() {
    rewriteRun(
        java(
            """
            import static org.apache.hc.client5.http.impl.classic.HttpClients.createSystem;

            import org.apache.hc.client5.http.classic.HttpClient;
            import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
            import org.apache.hc.client5.http.impl.classic.HttpClients;

            class Orders {
              HttpClient one = HttpClients.createDefault();
              HttpClient two = createSystem();
              HttpClient three = HttpClientBuilder.create().disableCookieManagement().build();
              HttpClientBuilder four = org.apache.hc.client5.http.impl.classic.HttpClients.custom();
            }
            """,
            """
            import io.heddle.apache.BlockingHttpClients;
            import org.apache.hc.client5.http.classic.HttpClient;
            import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

            class Orders {
              HttpClient one = BlockingHttpClients.createDefault();
              HttpClient two = BlockingHttpClients.createSystem();
              HttpClient three = BlockingHttpClients.custom().disableCookieManagement().build();
              HttpClientBuilder four = BlockingHttpClients.custom();
            }
            """));
  }

  @Test
  void aConnectionManagerAndItsTypes() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
            import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;

            class Orders {
              private final PoolingHttpClientConnectionManager manager =
                  PoolingHttpClientConnectionManagerBuilder.create()
                      .setMaxConnPerRoute(20)
                      .setTlsSocketStrategy(DefaultClientTlsStrategy.createDefault())
                      .build();

              CloseableHttpClient client() {
                manager.setMaxTotal(40);
                return HttpClients.custom().setConnectionManager(manager).build();
              }

              CloseableHttpClient other() {
                return HttpClients.custom()
                    .setConnectionManager(new PoolingHttpClientConnectionManager())
                    .build();
              }
            }
            """,
            """
            import io.heddle.apache.BlockingConnectionManager;
            import io.heddle.apache.BlockingHttpClients;
            import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
            import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;

            class Orders {
              private final BlockingConnectionManager manager =
                  BlockingConnectionManager.builder()
                      .setMaxConnPerRoute(20)
                      .setTlsStrategy(DefaultClientTlsStrategy.createDefault())
                      .build();

              CloseableHttpClient client() {
                manager.setMaxTotal(40);
                return BlockingHttpClients.custom().setConnectionManager(manager).build();
              }

              CloseableHttpClient other() {
                return BlockingHttpClients.custom()
                    .setConnectionManager(BlockingConnectionManager.builder().build())
                    .build();
              }
            }
            """));
  }

  @Test
  void aSetterWithoutCounterpartLeavesAComment() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
            import org.apache.hc.client5.http.ssl.TlsSocketStrategy;

            class Orders {
              CloseableHttpClient client(TlsSocketStrategy tls) {
                PoolingHttpClientConnectionManager manager =
                    PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnPerRoute(20)
                        .setTlsSocketStrategy(tls)
                        .build();
                return HttpClients.custom().setConnectionManager(manager).build();
              }
            }
            """,
            """
            import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
            import org.apache.hc.client5.http.ssl.TlsSocketStrategy;

            class Orders {
              CloseableHttpClient client(TlsSocketStrategy tls) {
                // Heddle: connection managers stay Apache's: setTlsSocketStrategy has no counterpart; setTlsStrategy has its place, with ClientTlsStrategyBuilder.buildAsync().
                PoolingHttpClientConnectionManager manager =
                    PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnPerRoute(20)
                        .setTlsSocketStrategy(tls)
                        .build();
                // Heddle: this client stays Apache's, with its connection manager.
                return HttpClients.custom().setConnectionManager(manager).build();
              }
            }
            """));
  }

  @Test
  void aManagerThatStaysKeepsTheOthers() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pool extends PoolingHttpClientConnectionManager {}
            """,
            """
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            // Heddle: connection managers stay Apache's: ours cannot be extended.
            class Pool extends PoolingHttpClientConnectionManager {}
            """),
        java(
            """
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pools {
              PoolingHttpClientConnectionManager another() {
                return new PoolingHttpClientConnectionManager();
              }
            }
            """),
        java(
            """
            import org.apache.hc.client5.http.impl.classic.HttpClients;

            class Orders {
              Object client = HttpClients.createDefault();
            }
            """,
            """
            import io.heddle.apache.BlockingHttpClients;

            class Orders {
              Object client = BlockingHttpClients.createDefault();
            }
            """));
  }

  @Test
  void aMethodOfYoursThatTakesAManagerTakesOurs() {
    rewriteRun(
        java(
            """
            import java.util.List;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Watch {
              void watch(PoolingHttpClientConnectionManager manager) {
                System.out.println(manager.getTotalStats());
              }

              PoolingHttpClientConnectionManager first(String name, List<PoolingHttpClientConnectionManager> all) {
                System.out.println(name + PoolingHttpClientConnectionManager.class);
                return all.getFirst();
              }
            }
            """,
            """
            import io.heddle.apache.BlockingConnectionManager;

            import java.util.List;

            class Watch {
              void watch(BlockingConnectionManager manager) {
                System.out.println(manager.getTotalStats());
              }

              BlockingConnectionManager first(String name, List<BlockingConnectionManager> all) {
                System.out.println(name + BlockingConnectionManager.class);
                return all.getFirst();
              }
            }
            """),
        java(
            """
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pools {
              void start() {
                new Watch().watch(new PoolingHttpClientConnectionManager());
              }
            }
            """,
            """
            import io.heddle.apache.BlockingConnectionManager;

            class Pools {
              void start() {
                new Watch().watch(BlockingConnectionManager.builder().build());
              }
            }
            """));
  }

  @Test
  void whatHasNoCounterpartStays() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;

            class Orders {
              Object minimal = HttpClients.createMinimal();
              Object basic =
                  HttpClients.custom()
                      .setConnectionManager(new BasicHttpClientConnectionManager())
                      .build();
            }
            """,
            """
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;

            class Orders {
              // Heddle: createMinimal has no counterpart. For a builder of yours there is BlockingHttpClients.prepare, with a BlockingConnectionManager.
              Object minimal = HttpClients.createMinimal();
              // Heddle: this client stays Apache's, with its connection manager.
              Object basic =
                  HttpClients.custom()
                      .setConnectionManager(new BasicHttpClientConnectionManager())
                      .build();
            }
            """));
  }

  @Test
  void anOlderLibraryIsToBeUpgraded() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Orders {
              Object one = HttpClients.createDefault();
              Object two =
                  HttpClients.custom()
                      .setConnectionManager(new PoolingHttpClientConnectionManager())
                      .build();
            }
            """,
            """
            import org.apache.hc.client5.http.impl.classic.HttpClients;
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Orders {
              // Heddle: needs httpclient5 5.6 or later, and this has 5.5.1: upgrade it, then run the recipe again.
              Object one = HttpClients.createDefault();
              // Heddle: needs httpclient5 5.6 or later, and this has 5.5.1: upgrade it, then run the recipe again.
              Object two =
                  HttpClients.custom()
                      .setConnectionManager(new PoolingHttpClientConnectionManager())
                      .build();
            }
            """,
            spec ->
                spec.markers(
                    Recipes.classPath("org.apache.httpcomponents.client5:httpclient5:5.5.1"))),
        java(
            """
            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pools {
              Object pool = new PoolingHttpClientConnectionManager();
            }
            """));
  }

  @Test
  void anUpgradedLibraryLeavesNoComment() {
    rewriteRun(
        java(
            """
            import org.apache.hc.client5.http.impl.classic.HttpClients;

            class Orders {
              // One for all.
              // Heddle: needs httpclient5 5.6 or later, and this has 5.5.1: upgrade it, then run the recipe again.
              Object client = HttpClients.createDefault();
            }
            """,
            """
            import io.heddle.apache.BlockingHttpClients;

            class Orders {
              // One for all.
              Object client = BlockingHttpClients.createDefault();
            }
            """,
            spec ->
                spec.markers(
                    Recipes.classPath("org.apache.httpcomponents.client5:httpclient5:5.10"))));
  }

  @Test
  void aManagersBuilderByAStaticImport() {
    rewriteRun(
        java(
            """
            import static org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder.create;

            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pools {
              PoolingHttpClientConnectionManager pool = create().setMaxConnTotal(4).build();
            }
            """,
            """
            import io.heddle.apache.BlockingConnectionManager;

            class Pools {
              BlockingConnectionManager pool = BlockingConnectionManager.builder().setMaxConnTotal(4).build();
            }
            """));
  }

  @Test
  void aManagersConstantsByAStaticImport() {
    rewriteRun(
        java(
            """
            import static org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager.*;

            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pools {
              void more(PoolingHttpClientConnectionManager pool) {
                pool.setMaxTotal(DEFAULT_MAX_TOTAL_CONNECTIONS * 2);
              }
            }
            """,
            """
            import static org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager.*;

            import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;

            class Pools {
              void more(PoolingHttpClientConnectionManager pool) {
                // Heddle: connection managers stay Apache's: DEFAULT_MAX_TOTAL_CONNECTIONS has no counterpart.
                pool.setMaxTotal(DEFAULT_MAX_TOTAL_CONNECTIONS * 2);
              }
            }
            """));
  }

  @Test
  void methodReferencesStay() {
    rewriteRun(
        java(
            """
            import java.util.function.Supplier;
            import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
            import org.apache.hc.client5.http.impl.classic.HttpClients;

            class Orders {
              Supplier<?> one = HttpClients::createDefault;
              Supplier<?> two = HttpClientBuilder::create;
              Supplier<?> three = HttpClients::createMinimal;
            }
            """,
            """
            import java.util.function.Supplier;
            import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
            import org.apache.hc.client5.http.impl.classic.HttpClients;

            class Orders {
              // Heddle: a method reference stays as it is; a lambda can use BlockingHttpClients.
              Supplier<?> one = HttpClients::createDefault;
              // Heddle: a method reference stays as it is; a lambda can use BlockingHttpClients.
              Supplier<?> two = HttpClientBuilder::create;
              // Heddle: createMinimal has no counterpart. For a builder of yours there is BlockingHttpClients.prepare, with a BlockingConnectionManager.
              Supplier<?> three = HttpClients::createMinimal;
            }
            """));
  }

  private static final String FIRST_CONSTANT =
      """
      import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
      import org.apache.hc.client5.http.impl.classic.HttpClients;

      enum Clients {
        // Heddle: createMinimal has no counterpart. For a builder of yours there is BlockingHttpClients.prepare, with a BlockingConnectionManager.
        ONE(HttpClients.createMinimal()),
        // Heddle: createMinimal has no counterpart. For a builder of yours there is BlockingHttpClients.prepare, with a BlockingConnectionManager.
        TWO(HttpClients.createMinimal());

        Clients(CloseableHttpClient client) {}
      }
      """;

  private static final String FIRST_IMPORT =
      """
      // Heddle: connection managers stay Apache's: DEFAULT_MAX_TOTAL_CONNECTIONS has no counterpart.
      import static org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager.DEFAULT_MAX_TOTAL_CONNECTIONS;

      class Orders {
        // Heddle: connection managers stay Apache's: DEFAULT_MAX_TOTAL_CONNECTIONS has no counterpart.
        int connections = DEFAULT_MAX_TOTAL_CONNECTIONS;
      }
      """;

  private static String withoutComments(String source) {
    return source.replaceAll(" *// Heddle:.*\n", "");
  }

  @Test
  void aFirstConstantOrImportGetsOneComment() {
    rewriteRun(
        java(withoutComments(FIRST_CONSTANT), FIRST_CONSTANT),
        java(withoutComments(FIRST_IMPORT), FIRST_IMPORT));
  }

  @Test
  void aFirstConstantOrImportThatHasACommentStays() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0), java(FIRST_CONSTANT), java(FIRST_IMPORT));
  }

  @Test
  void whatIsMigratedAlreadyStays() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0),
        java(
            """
            import io.heddle.apache.BlockingConnectionManager;
            import io.heddle.apache.BlockingHttpClients;
            import org.apache.hc.client5.http.impl.classic.HttpClients;

            class Orders {
              Object client =
                  BlockingHttpClients.custom()
                      .setConnectionManager(BlockingConnectionManager.builder().build())
                      .build();
              // Heddle: createMinimal has no counterpart. For a builder of yours there is BlockingHttpClients.prepare, with a BlockingConnectionManager.
              Object minimal = HttpClients.createMinimal();
            }
            """));
  }

  @Test
  void otherCodeStays() {
    rewriteRun(
        spec -> spec.expectedCyclesThatMakeChanges(0),
        java(
            """
            import java.net.http.HttpClient;
            import org.apache.hc.client5.http.impl.async.HttpAsyncClients;

            class Orders {
              Object async = HttpAsyncClients.createDefault();
              Object jdk = HttpClient.newHttpClient();

              static Object custom() {
                return null;
              }

              Object mine = custom();
            }
            """));
  }
}
