package io.heddle.bench.servers;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.OkHttpContestants;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.servers.RealServer.Product;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Calls servers that are installed here. */
@Command(
    name = "servers",
    description = {
      "Calls nginx, Apache httpd, HAProxy (in front of nginx), Node, Caddy, a server in Go, and nginx"
          + " through squid and through microsocks (SOCKS), those that are installed, from virtual"
          + " threads, with each library's stock client and with Heddle, over HTTP/1.1 and HTTP/2,"
          + " with TLS and without. Each client has the library's own retries.",
      "Prints a table in Markdown for each server: how many calls failed, and of how many. Takes"
          + " some minutes for each server.",
      "Ends with 1 if a call with Heddle had no end in time, and else with 0, whatever failed: what"
          + " stock and Heddle lose is for a reader to compare."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ServersCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--server",
      split = ",",
      description = "which to call, of ${COMPLETION-CANDIDATES} (default: all that are installed)")
  private List<Product> servers = List.of(Product.values());

  @Option(
      names = "--library",
      split = ",",
      description = "which to try, of ${COMPLETION-CANDIDATES} (default: all)")
  private List<Library> libraries = List.of(Library.values());

  @Option(
      names = "--trial",
      split = ",",
      description = "what to try, of ${COMPLETION-CANDIDATES} (default: all)")
  private List<Trial> trials = List.of(Trial.values());

  @Option(
      names = "--patience",
      description =
          "seconds that the calls of a trial may take in all (default: ${DEFAULT-VALUE}); a busy"
              + " machine needs more",
      defaultValue = "30")
  private int patience;

  private final List<String> failures = new ArrayList<>();
  private boolean endless;

  @Override
  public Integer call() throws Exception {
    // Else the JDK's client gives no proxy a password for a tunnel. Read once in a JVM.
    System.setProperty("jdk.http.auth.tunneling.disabledSchemes", "");
    PrintWriter out = Objects.requireNonNull(spec, "not run by picocli").commandLine().getOut();
    out.printf("JDK %s. Calls that failed, of all: stock / with Heddle.%n", Runtime.version());
    for (Product product : servers) {
      if (product.isInstalled()) {
        table(out, product);
      } else {
        out.printf("%n%s is not installed.%n", product);
      }
    }
    return endless ? 1 : 0;
  }

  private void table(PrintWriter out, Product product) throws Exception {
    out.printf("%n| %s | | %s |%n", product, labels());
    out.printf("|---|---|%s%n", "---|".repeat(libraries.size()));
    for (Trial trial : trials) {
      for (Wire wire : Wire.values()) {
        row(out, product, trial, wire);
      }
    }
    out.println();
    failures.forEach(out::println);
    failures.clear();
    out.flush();
  }

  private String labels() {
    return libraries.stream().map(Library::label).collect(Collectors.joining(" | "));
  }

  private void row(PrintWriter out, Product product, Trial trial, Wire wire) throws Exception {
    List<String> cells = new ArrayList<>();
    for (Library library : libraries) {
      try (RealServer server = RealServer.start(product, trial.settings(product))) {
        if (!trial.isFor(product, server, wire)) {
          return;
        }
        if (!library.knows(product.type())) {
          cells.add("knows none");
          continue;
        }
        if (!trial.isFor(library)) {
          cells.add("– / –");
          continue;
        }
        String stock = cell(product, trial, library, Mode.STOCK_VIRTUAL, wire, server);
        String ours = cell(product, trial, library, Mode.HEDDLE, wire, server);
        cells.add(stock + " / " + ours);
      }
    }
    out.printf("| %s | %s | %s |%n", trial.title(), wire, String.join(" | ", cells));
    out.flush();
  }

  /** Whether its uploads can pin the carriers for good, and stop all calls that come after them. */
  private static boolean takesCarriers(Contestant each) {
    return each.library() == Library.OKHTTP
        && each.mode() == Mode.STOCK_VIRTUAL
        && each.wire() == Wire.HTTP_2
        && !OkHttpContestants.STOCK_HTTP2_ENDS;
  }

  private String cell(
      Product product, Trial trial, Library library, Mode mode, Wire wire, RealServer server)
      throws Exception {
    for (Contestant each : library.all()) {
      if (each.mode() == mode && each.wire() == wire) {
        if (trial.isUpload() && takesCarriers(each)) {
          return "pins";
        }
        Trial.Outcome outcome = trial.run(each, server, Duration.ofSeconds(patience));
        endless |= mode == Mode.HEDDLE && outcome.isEndless();
        outcome
            .failures()
            .forEach(
                (kind, times) ->
                    failures.add(
                        "- %s, %s, %s: %d × %s"
                            .formatted(product, trial.title(), each.name(), times, kind)));
        return "%d of %,d".formatted(outcome.failed(), outcome.calls());
      }
    }
    return "–";
  }
}
