/**
 * What users of every adapter meet, whichever client they have: {@link
 * io.heddle.DeadlineExceededException}, {@link io.heddle.IoThread}, {@link io.heddle.CallsInFlight}
 * and {@link io.heddle.CallMetrics}. An adapter's own types are in its own package. {@code
 * io.heddle.core} is for adapters alone, and changes without notice.
 */
@NullMarked
package io.heddle;

import org.jspecify.annotations.NullMarked;
