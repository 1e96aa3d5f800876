/**
 * How load is made: loops of calls in a JVM for each contestant, and the server that answers them.
 */
@NullMarked
package io.heddle.bench.load;

import org.jspecify.annotations.NullMarked;
