/**
 * What is measured: the parts of a report, what they ask of contestants, and how much of it fits
 * the machine.
 */
@NullMarked
package io.heddle.bench.scenarios;

import org.jspecify.annotations.NullMarked;
