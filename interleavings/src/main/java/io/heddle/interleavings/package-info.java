/**
 * The races of core, tried millions of times on real threads. Each class is one race: its actors
 * run at the same time, and the outcomes that may be seen are listed above it, each with the order
 * of events that it stands for.
 */
@NullMarked
package io.heddle.interleavings;

import org.jspecify.annotations.NullMarked;
