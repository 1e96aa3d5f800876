package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the configuration says is done. */
class AhcEngineTest {

  @TempDir Path directory;

  private static AsyncHttpClientConfig engines(DefaultAsyncHttpClientConfig.Builder users) {
    return AhcEngine.config(
        users.build(), null, new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE));
  }

  @Test
  void quietPeriod() {
    Duration own = Duration.ofMillis(300);
    assertEquals(own, engines(Dsl.config().setShutdownQuietPeriod(own)).getShutdownQuietPeriod());
    assertEquals(Duration.ZERO, engines(Dsl.config()).getShutdownQuietPeriod());
  }

  @Test
  void window() {
    int large = 16 * 1024 * 1024;
    DefaultAsyncHttpClientConfig.Builder config = Dsl.config().setHttp2InitialWindowSize(large);
    assertEquals(1 << 20, engines(config).getHttp2InitialWindowSize());
    System.setProperty("org.asynchttpclient.http2InitialWindowSize", "" + large);
    try {
      assertEquals(large, engines(config).getHttp2InitialWindowSize());
    } finally {
      System.clearProperty("org.asynchttpclient.http2InitialWindowSize");
    }
    config.setHttp2InitialWindowSize(large + 1);
    assertEquals(large + 1, engines(config).getHttp2InitialWindowSize());
  }

  @Test
  void piecesOfAFile() throws Exception {
    Path file = Files.write(directory.resolve("body"), new byte[2500]);
    WritableBody source =
        Objects.requireNonNull(
            WritableBody.of(Dsl.post("http://localhost/").setBody(file.toFile()).build(), 1000));
    List<Integer> pieces = new ArrayList<>();
    source
        .writer()
        .writeTo(
            new OutputStream() {
              @Override
              public void write(int b) {
                pieces.add(1);
              }

              @Override
              public void write(byte[] b, int off, int len) {
                pieces.add(len);
              }
            });
    assertEquals(List.of(1000, 1000, 500), pieces);
  }
}
