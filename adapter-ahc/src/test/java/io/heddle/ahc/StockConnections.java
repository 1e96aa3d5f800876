package io.heddle.ahc;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/** Connections of AHC's own client, in tests that do not ask how it opens them. */
final class StockConnections {

  private static final long MILLIS = 50;

  private StockConnections() {}

  /**
   * Reads what the server says first only in a while. Over HTTP/2 without TLS, AHC may have no
   * codec yet when that comes; it then waits for ever: seen in 6 of 800 calls, and in none of 1,600
   * so.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // of a connection that has ended by then
  static void readLate(Channel connection) {
    ReadGate gate = new ReadGate(connection);
    gate.shut(); // not the channel's autoRead alone: handlers ask for reads by themselves
    connection.pipeline().addFirst(ReadGate.NAME, gate);
    connection.eventLoop().schedule(gate::open, MILLIS, TimeUnit.MILLISECONDS);
  }
}
