package io.heddle.jetty;

import io.heddle.core.BodyInput;
import io.heddle.core.Deadline;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.util.function.Supplier;

/** The body of a response, as the caller reads it. */
final class JettyResponseBody extends BodyInput {

  private final ResponseBodyPipe pipe;
  private final Supplier<Deadline> deadline;

  JettyResponseBody(ResponseBodyPipe pipe, Supplier<Deadline> deadline) {
    this.pipe = pipe;
    this.deadline = deadline;
  }

  @Override
  protected ResponseBodyPipe pipe() {
    return pipe;
  }

  @Override
  protected Deadline deadline() {
    return deadline.get();
  }

  @Override
  protected IOException failure(Exception end) {
    return JettyFailures.inWait("reading the response body", deadline(), end);
  }

  @Override
  protected IOException closed() {
    return JettyFailures.closed(null);
  }
}
