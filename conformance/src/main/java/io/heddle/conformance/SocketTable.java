package io.heddle.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What Linux knows about the sockets of this process. */
final class SocketTable {

  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

  // The columns of a line.
  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private SocketTable() {}

  /**
   * The ports and the state of a socket, as the kernel numbers its states: 01 is established, 08
   * waits to be closed, 0A listens.
   *
   * @param descriptor such as {@code socket:[4711]}
   */
  static String describe(String descriptor) {
    String inode = descriptor.replaceAll("\\D", "");
    for (Path each : TABLES) {
      try {
        for (String line : Files.readAllLines(each)) {
          String[] columns = line.strip().split("\\s+", -1);
          if (columns.length > INODE && columns[INODE].equals(inode)) {
            return "from port %d to port %d, state %s"
                .formatted(port(columns[LOCAL]), port(columns[REMOTE]), columns[STATE]);
          }
        }
      } catch (IOException e) {
        // another system
      }
    }
    return "without a connection";
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
  }
}
