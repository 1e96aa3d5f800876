/** The proof that nothing pins: every adapter on every wire, or calls of one's own. */
@NullMarked
package io.heddle.bench.pinning;

import org.jspecify.annotations.NullMarked;
