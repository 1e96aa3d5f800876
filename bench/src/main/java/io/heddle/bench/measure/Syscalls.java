package io.heddle.bench.measure;

import java.util.Map;

/**
 * The system calls of a client's JVM while it made calls.
 *
 * @param cell whose client it is, without figures
 * @param calls that ended meanwhile
 * @param counts how many system calls there were, by name
 */
public record Syscalls(Cell cell, long calls, Map<String, Long> counts) {

  /** Kinds that a reader may ask for. */
  public enum Kind {
    FUTEX("futex", "futex"),
    READ("read", "readv?|recvfrom|recvmsg"),
    WRITE("write", "writev?|sendto|sendmsg"),
    EPOLL_WAIT("epoll_wait", "epoll_p?wait2?|p?poll"),
    EPOLL_CTL("epoll_ctl", "epoll_ctl");

    private final String label;
    private final String names;

    Kind(String label, String names) {
      this.label = label;
      this.names = names;
    }

    public String label() {
      return label;
    }
  }

  /** NaN if no call ended. */
  public double perCall(Kind kind) {
    return perCall(kind.names);
  }

  /** Of all kinds; NaN if no call ended. */
  public double perCall() {
    return perCall(".*");
  }

  private double perCall(String names) {
    long sum =
        counts.entrySet().stream()
            .filter(each -> each.getKey().matches(names))
            .mapToLong(Map.Entry::getValue)
            .sum();
    return calls == 0 ? Double.NaN : sum / (double) calls;
  }
}
