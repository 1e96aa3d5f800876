/** Jetty's {@code HttpClient}, for virtual threads. */
@NullMarked
package io.heddle.jetty;

import org.jspecify.annotations.NullMarked;
