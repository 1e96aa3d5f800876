package io.heddle.jetty;

import io.heddle.IoThread;

/** A thread of the client's pool: moves bytes, signals callers, and never waits for an exchange. */
final class JettyIoThread extends Thread implements IoThread {

  /** A thread that inherits nothing of who happens to make it, least of all a thread-local. */
  JettyIoThread(Runnable work, String name) {
    super(null, work, name, 0, false);
    setContextClassLoader(ClassLoader.getSystemClassLoader());
  }
}
