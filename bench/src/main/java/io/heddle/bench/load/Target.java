package io.heddle.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * The target server as another JVM sees it: {@link TargetControl} over HTTP, by the JDK's oldest
 * client, which is none of the contestants.
 *
 * @param uri its first address
 * @param pid its process
 */
public record Target(URI uri, long pid) {

  /** Holds the calls that ask for it from now on. */
  void hold() {
    ask("/hold");
  }

  /** How many calls are held. */
  int held() {
    return ask("/held");
  }

  /** Answers those. */
  void release() {
    ask("/release");
  }

  /** Lets service B take this long from now on. */
  public void turnB(long millis) {
    ask("/turn?delay=" + millis);
  }

  private int ask(String path) {
    try {
      HttpURLConnection connection = (HttpURLConnection) uri.resolve(path).toURL().openConnection();
      try (InputStream in = connection.getInputStream()) {
        return Integer.parseInt(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no word from the target server", e);
    }
  }
}
