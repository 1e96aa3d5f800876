package io.heddle.conformance;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failure of the reference client. */
final class ReferenceException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Failure kind;

  ReferenceException(Failure kind, @Nullable Throwable cause) {
    super(kind.toString(), cause);
    this.kind = kind;
  }

  Failure kind() {
    return kind;
  }
}
