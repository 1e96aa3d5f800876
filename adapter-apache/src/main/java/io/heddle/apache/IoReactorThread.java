package io.heddle.apache;

import io.heddle.IoThread;

/** A thread of the I/O reactor: moves bytes, signals callers, and never waits. */
final class IoReactorThread extends Thread implements IoThread {

  IoReactorThread(Runnable work, String name) {
    super(work, name);
    setDaemon(true);
  }
}
