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
 * A request body that a writer produces.
 *
 * <pre>{@code
 * Request request = Dsl.post(url).setBody(new WrittenBody(out -> report.writeTo(out))).build();
 * Response response = client.execute(request);
 * }</pre>
 *
 * <p>With {@link BlockingAhcClient#execute} and {@link BlockingAhcClient#stream} the writer runs on
 * the caller's thread, and waits there while the network is slower. With a future it runs on a
 * virtual thread of its own. Flushed bytes are sent at once. The writer runs once: a redirect that
 * needs the body again fails.
 *
 * <p>Any other {@code AsyncHttpClient} can send this body too, from memory.
 */
public final class WrittenBody implements BodyGenerator {

  /** Writes a body. */
  @FunctionalInterface
  public interface Writer {

    /**
     * Writes all of the body. Returning from this method ends the body; closing {@code out} does
     * not.
     *
     * @param out blocks while the network is slower. Fails with an {@link IOException} once the
     *     call has ended; the writer should let it propagate. An early response of the server does
     *     not end the call
     */
    void writeTo(OutputStream out) throws IOException;
  }

  private final Writer writer;
  private final long length;

  /** Creates a body of unknown length. */
  public WrittenBody(Writer writer) {
    this(writer, -1);
  }

  /**
   * Creates a body of known length.
   *
   * @param length in bytes; −1 if unknown. If the writer writes less or more, the call fails
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

  /** Returns the body from memory, for another client's engine. */
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
