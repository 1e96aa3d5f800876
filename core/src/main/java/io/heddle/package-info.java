/**
 * What users meet with every client: {@link io.heddle.DeadlineExceededException}, {@link
 * io.heddle.IoThread}, {@link io.heddle.CallsInFlight} and {@link io.heddle.CallMetrics}.
 *
 * <p>Each adapter has its own package. {@code io.heddle.core} is for adapters only, and changes
 * without notice.
 */
@NullMarked
package io.heddle;

import org.jspecify.annotations.NullMarked;
