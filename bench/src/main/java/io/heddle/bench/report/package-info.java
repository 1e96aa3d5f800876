/**
 * What a reader gets: tables, charts, the page, JSON and CSV, and what was promised and came of it.
 */
@NullMarked
package io.heddle.bench.report;

import org.jspecify.annotations.NullMarked;
