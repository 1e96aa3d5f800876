package io.heddle.conformance;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reference driver in a wrapper, which is as right as that one. A wrong driver overrides what
 * it does wrong, and nothing else.
 */
class WrappedDriver implements ClientDriver {

  /**
   * One call of one client.
   *
   * @param asked as the kit has it
   * @param right as {@link #prepare} has it, ready to be executed by the reference client
   */
  record Attempt(ReferenceClient client, Call asked, ReferenceClient.Prepared right) {}

  private final ReferenceDriver right = new ReferenceDriver();

  // ---- what can be wrong ----------------------------------------------------------------------

  /** The call that the reference client is given. */
  Call prepare(ReferenceClient client, Call call) {
    return call;
  }

  Reply execute(Attempt attempt) throws Exception {
    return attempt.right().execute();
  }

  /** Whose header fields the caller is given. */
  Reply head(Reply reply) {
    return reply;
  }

  /** The body that the caller is given, as soon as the head is there. */
  InputStream body(ReferenceClient client, InputStream body) throws IOException {
    return body;
  }

  int leases(ReferenceClient client) {
    return client.leases();
  }

  String describe(ReferenceClient client) {
    return client.describe();
  }

  /** Ends what a wrong driver has left, once it has been found out. */
  void cleanUp() throws Exception {}

  // ---- what is right --------------------------------------------------------------------------

  @Override
  public Client open(ClientSettings settings) throws IOException {
    return new Wrapped(new ReferenceClient(settings));
  }

  @Override
  public final boolean isExpected(Failure kind, Throwable thrown) {
    return right.isExpected(kind, thrown);
  }

  @Override
  public final boolean isIoThread(Thread thread) {
    return right.isIoThread(thread);
  }

  @Override
  public final void onIoThread(Client client, Call call, Runnable work) throws Exception {
    ((Wrapped) client).client.onIoThread(work);
  }

  private final class Wrapped implements Client {
    private final ReferenceClient client;

    Wrapped(ReferenceClient client) {
      this.client = client;
    }

    @Override
    public PreparedCall prepare(Call call) {
      ReferenceClient.Prepared prepared = client.prepare(WrappedDriver.this.prepare(client, call));
      return new PreparedCall() {
        @Override
        public Reply execute() throws Exception {
          Reply reply = WrappedDriver.this.execute(new Attempt(client, call, prepared));
          return new WrappedReply(reply, head(reply), body(client, reply.body()));
        }

        @Override
        public void cancel() {
          prepared.cancel();
        }
      };
    }

    @Override
    public int leases() {
      return WrappedDriver.this.leases(client);
    }

    @Override
    public String describe() {
      return WrappedDriver.this.describe(client);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record WrappedReply(Reply right, Reply head, InputStream body) implements Reply {
    @Override
    public int status() {
      return right.status();
    }

    @Override
    public @Nullable String header(String name) {
      return head.header(name);
    }

    @Override
    public String protocol() {
      return right.protocol();
    }

    @Override
    public Map<String, String> trailers() throws IOException {
      return right.trailers();
    }

    @Override
    public void close() throws IOException {
      body.close();
      right.close();
    }
  }

  /** A stream whose reads all come through one method. */
  abstract static class WrappedStream extends FilterInputStream {
    WrappedStream(InputStream in) {
      super(in);
    }

    @Override
    public final int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte[] b, int off, int len) throws IOException;
  }
}
