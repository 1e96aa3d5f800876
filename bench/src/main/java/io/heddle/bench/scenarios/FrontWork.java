package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import java.net.URI;
import java.util.List;

/**
 * What a service does for a request: it calls others, one after the other, and answers then.
 *
 * <p>A path of {@code /1} calls the first of them only, {@code /} all.
 */
final class FrontWork {

  /** As one of its services may turn so slow that very many calls wait. */
  private static final int MOST_CALLS = 40_000;

  /** What is answered. */
  static final String ANSWER = "done\n";

  private final List<Contestant.Running> clients;

  /**
   * Makes clients.
   *
   * @param services the addresses of each of the services to call
   */
  FrontWork(Contestant contestant, List<List<URI>> services) {
    clients =
        services.stream()
            .map(uris -> contestant.open(new Ask(uris, Ask.GET, false), MOST_CALLS))
            .toList();
  }

  boolean isAsync() {
    return clients.get(0) instanceof Contestant.Async;
  }

  /** Calls, and waits. */
  void call(String path) throws Exception {
    for (int i = 0; i < count(path); i++) {
      ((Contestant.Blocking) clients.get(i)).call();
    }
  }

  /** Starts the calls, each in the callback of the one before. */
  void start(String path, Contestant.Outcome outcome) {
    next(0, count(path), outcome);
  }

  private void next(int index, int count, Contestant.Outcome outcome) {
    if (index == count) {
      outcome.succeeded();
      return;
    }
    try {
      ((Contestant.Async) clients.get(index))
          .start(
              new Contestant.Outcome() {
                @Override
                public void succeeded() {
                  next(index + 1, count, outcome);
                }

                @Override
                public void failed(Throwable failure) {
                  outcome.failed(failure);
                }
              });
    } catch (Exception e) {
      outcome.failed(e);
    }
  }

  private int count(String path) {
    return path.equals("/1") ? 1 : clients.size();
  }
}
