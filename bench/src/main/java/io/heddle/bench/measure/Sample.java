package io.heddle.bench.measure;

/**
 * What was seen at one moment.
 *
 * @param millis since the start
 * @param inFlight calls
 * @param heapBytes used, with what is garbage already
 * @param rssBytes resident; 0 where the system does not tell
 * @param virtualBytes mapped; 0 where the system does not tell
 * @param threads platform threads
 */
public record Sample(
    long millis, int inFlight, long heapBytes, long rssBytes, long virtualBytes, int threads) {}
