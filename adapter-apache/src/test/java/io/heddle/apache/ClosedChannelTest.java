package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.junit.jupiter.api.Test;

/**
 * TLS tells of a connection that ended under HTTP/2 streams with a ClosedChannelException: callers
 * saw a bare IOException, which no retry strategy knows, where others on that wire had the
 * library's own.
 */
class ClosedChannelTest {

  private final ClosedChannelException closed = new ClosedChannelException();

  @Test
  void inBodyItIsAClosedConnection() {
    IOException told = ApacheFailures.inBody(closed);
    assertSame(ConnectionClosedException.class, told.getClass());
    assertSame(closed, told.getCause());
  }

  @Test
  void beforeTheHeadItIsNoResponse() {
    NoHttpResponseException told =
        assertThrows(
            NoHttpResponseException.class, () -> ApacheFailures.throwBeforeHead(closed, "peer"));
    assertSame(closed, told.getCause());
  }
}
