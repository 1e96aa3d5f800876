package io.heddle.okhttp;

import io.heddle.conformance.SoakSuite;
import io.heddle.conformance.Wire;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** On all wires. */
class OkHttpSoakTest extends SoakSuite {
  OkHttpSoakTest() {
    super(new OkHttpDriver(), Wire.values());
  }

  /** See {@link Deviations#POST_AGAIN}. */
  @Override
  protected boolean mayPostAgain() {
    return true;
  }

  /** See {@link OkHttpResponseBody#isWhole}. */
  @Override
  protected boolean mayMissSurplus() {
    return true;
  }

  /** See {@link OkHttpDriver}: ends of connections that are hardly open. */
  @Override
  protected @Nullable String known(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return Stream.of("cipherSuite == SSL_NULL", "Required SETTINGS preface", "Socket is closed")
        .filter(message::startsWith)
        .findFirst()
        .orElse(null);
  }

  /** It looks at a connection that has idled for less than 10 s no further than at its own end. */
  @Override
  protected Duration mayBeStale() {
    return Collections.max(List.of(Duration.ofSeconds(10), super.mayBeStale()));
  }
}
