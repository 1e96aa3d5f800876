package io.heddle.jersey;

import io.heddle.apache.ApacheDriver;
import io.heddle.conformance.Call;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.Failure;
import jakarta.ws.rs.ProcessingException;
import java.util.Set;
import org.glassfish.hk2.api.MultiException;

/**
 * The kit's driver: a JAX-RS client. What fails there is what fails in Apache's client, in a {@link
 * ProcessingException}, or as it is if the response's stream was read.
 */
public final class JerseyDriver implements ClientDriver {

  private final ApacheDriver apache = new ApacheDriver();

  @Override
  public Client open(ClientSettings settings) throws Exception {
    return new JaxRsClient(settings);
  }

  @Override
  public boolean isExpected(Failure kind, Throwable thrown) {
    if (kind == Failure.CLOSED
        && (thrown instanceof MultiException || ofApache(thrown) instanceof MultiException)) {
      return true; // Jersey's container was shut down before it could see the call's end
    }
    return apache.isExpected(kind, ofApache(thrown));
  }

  /** What Apache's client has thrown. */
  static Throwable ofApache(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown.getClass() == ProcessingException.class && cause != null ? cause : thrown;
  }

  @Override
  public Set<String> onCallersThread() {
    return Set.of(
        "interceptor",
        "request filter",
        "response filter",
        "reader interceptor",
        "writer interceptor",
        "writer",
        "stream");
  }

  @Override
  public boolean isIoThread(Thread thread) {
    return apache.isIoThread(thread);
  }

  /** No hook of a JAX-RS client runs on such a thread: one of another client does as well. */
  @Override
  public void onIoThread(Client client, Call call, Runnable work) throws Exception {
    try (Client other = apache.open(((JaxRsClient) client).settings())) {
      apache.onIoThread(other, call, work);
    }
  }
}
