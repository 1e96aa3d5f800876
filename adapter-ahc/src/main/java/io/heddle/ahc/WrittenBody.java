package io.heddle.ahc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.asynchttpclient.request.body.Body;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.asynchttpclient.request.body.generator.ByteArrayBodyGenerator;

/**
 * A request body that writes itself.
 *
 * <pre>{@code
 * Request request = Dsl.post(url).setBody(new WrittenBody(out -> report.writeTo(out))).build();
 * Response response = client.execute(request);
 * }</pre>
 *
 * <p>With {@link BlockingAhcClient#execute} and {@link BlockingAhcClient#stream} the writer runs on
 * the caller's thread, and waits there while the network is slower than it; with a future it runs
 * on a virtual thread of its own. What is flushed is sent at once. It runs once: a redirect that
 * wants the body again fails.
 *
 * <p>Any other {@code AsyncHttpClient} can send it too, from memory.
 */
public final class WrittenBody implements BodyGenerator {

  /** Writes a body. */
  @FunctionalInterface
  public interface Writer {

    /**
     * Writes all of the body. The end of this method is the end of the body; to close {@code out}
     * is not.
     *
     * @param out blocks while the network is slower; fails with an {@link IOException} once the
     *     call has ended, which the writer should let through; an early answer of the server is no
     *     failure of the call
     */
    void writeTo(OutputStream out) throws IOException;
  }

  private final Writer writer;
  private final long length;

  /** A body of unknown length. */
  public WrittenBody(Writer writer) {
    this(writer, -1);
  }

  /**
   * A body of known length.
   *
   * @param length in bytes; −1 if it is not known. If less is written, or more, the call fails
   */
  public WrittenBody(Writer writer, long length) {
    this.writer = Objects.requireNonNull(writer, "writer");
    this.length = length;
  }

  long length() {
    return length;
  }

  void writeTo(OutputStream out) throws IOException {
    writer.writeTo(out);
  }

  /** The body in memory, for another client's engine. */
  @Override
  public Body createBody() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writer.writeTo(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ByteArrayBodyGenerator(bytes.toByteArray()).createBody();
  }
}
