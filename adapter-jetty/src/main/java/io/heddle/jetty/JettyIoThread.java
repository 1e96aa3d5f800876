package io.heddle.jetty;

import io.heddle.IoThread;

/** A thread of the client's pool: moves bytes, signals callers, and never waits for an exchange. */
final class JettyIoThread extends Thread implements IoThread {

  JettyIoThread(Runnable work) {
    super(work);
  }
}
