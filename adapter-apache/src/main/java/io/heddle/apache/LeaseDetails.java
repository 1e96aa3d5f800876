package io.heddle.apache;

import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.util.Timeout;

/**
 * The engine's details of a connection, with the timeout of a lease, which the engine is not told.
 */
final class LeaseDetails extends EndpointDetails {

  private final EndpointDetails ofConnection;

  LeaseDetails(EndpointDetails ofConnection, Timeout timeout) {
    super(ofConnection.getRemoteAddress(), ofConnection.getLocalAddress(), timeout);
    this.ofConnection = ofConnection;
  }

  @Override
  public long getRequestCount() {
    return ofConnection.getRequestCount();
  }

  @Override
  public long getResponseCount() {
    return ofConnection.getResponseCount();
  }

  @Override
  public long getSentBytesCount() {
    return ofConnection.getSentBytesCount();
  }

  @Override
  public long getReceivedBytesCount() {
    return ofConnection.getReceivedBytesCount();
  }
}
