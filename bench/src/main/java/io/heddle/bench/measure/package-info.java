/**
 * What is measured: CPU, memory, threads, pins and latencies, and the figures that a run leaves.
 */
@NullMarked
package io.heddle.bench.measure;

import org.jspecify.annotations.NullMarked;
