/** JMH benchmarks of core and of clients, and a short set of them with its ratios. */
@NullMarked
package io.heddle.bench.jmh;

import org.jspecify.annotations.NullMarked;
