/**
 * Who is compared: a library, how it is used and on which wire. Each has one class with all its
 * ways.
 */
@NullMarked
package io.heddle.bench.contestants;

import org.jspecify.annotations.NullMarked;
