package io.heddle.apache;

import io.heddle.IoThread;

/** A thread of the I/O reactor: moves bytes, signals callers, and never waits. */
final class ApacheIoThread extends Thread implements IoThread {

  ApacheIoThread(Runnable work, String name) {
    super(work, name);
    setDaemon(true);
  }
}
