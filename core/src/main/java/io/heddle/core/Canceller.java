package io.heddle.core;

/**
 * Aborts an exchange in its library: closes a connection, resets a stream, withdraws a request from
 * a queue. Runs at most once, on the thread that gave up: the caller, or whoever cancelled. It must
 * neither wait nor throw.
 */
@FunctionalInterface
public interface Canceller {

  /** Aborts the exchange. What it still brings is disposed of by those that receive it. */
  void cancel();
}
