package io.heddle.conformance;

import java.io.IOException;

/** One client of the library under test. */
public interface Client extends AutoCloseable {

  /** Makes a call ready, so that another thread can cancel it while one executes it. */
  PreparedCall prepare(Call call);

  /** How many connections, or streams of HTTP/2, are leased now; 0 when nothing is going on. */
  int leases();

  /** What the library's client, or its connection manager, says of itself: its {@code toString}. */
  String describe();

  /** Closes the client at once: calls that are under way end with {@link Failure#CLOSED}. */
  @Override
  void close() throws IOException;
}
