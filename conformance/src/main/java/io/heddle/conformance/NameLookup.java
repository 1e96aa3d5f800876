package io.heddle.conformance;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Answers for the name service, in tests; may take its time, and may be called by any thread. */
@FunctionalInterface
public interface NameLookup {

  /** The addresses of {@code host}, at least one. */
  List<InetAddress> lookup(String host) throws UnknownHostException;
}
