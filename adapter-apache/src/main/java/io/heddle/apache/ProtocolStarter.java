package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultClassicHttpResponseFactory;
import org.apache.hc.core5.http.impl.nio.ClientHttp1IOEventHandler;
import org.apache.hc.core5.http.impl.nio.DefaultHttpResponseParser;
import org.apache.hc.core5.http.impl.nio.HttpConnectionEventHandler;
import org.apache.hc.core5.http.message.LazyLaxLineParser;
import org.apache.hc.core5.http.protocol.HttpProcessor;
import org.apache.hc.core5.http.protocol.HttpProcessorBuilder;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.http2.impl.nio.ClientH2PrefaceHandler;
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexerFactory;
import org.apache.hc.core5.http2.impl.nio.HttpProtocolNegotiator;
import org.apache.hc.core5.http2.ssl.ApplicationProtocol;
import org.apache.hc.core5.reactor.IOEventHandler;
import org.apache.hc.core5.reactor.IOEventHandlerFactory;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.util.CharArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a protocol begin on a new session: the one that was asked for, or the one that ALPN chose
 * (RFC 7301).
 */
final class ProtocolStarter implements IOEventHandlerFactory {

  /** The classic chain above has its own interceptors; the engine adds none. */
  static final HttpProcessor NO_INTERCEPTORS = HttpProcessorBuilder.create().build();

  private final Http1Config http1Config;
  private final H2Config http2Config;
  private final CharCodingConfig charCodingConfig;

  ProtocolStarter(
      Http1Config http1Config, H2Config http2Config, CharCodingConfig charCodingConfig) {
    this.http1Config = http1Config;
    this.http2Config = http2Config;
    this.charCodingConfig = charCodingConfig;
  }

  @Override
  public IOEventHandler createHandler(ProtocolIOSession session, Object attachment) {
    ReactorConnection connection = (ReactorConnection) attachment;
    session.registerProtocol(
        ApplicationProtocol.HTTP_1_1.id,
        (s, none) -> {
          s.upgrade(http1(s, connection));
          connected(s);
        });
    session.registerProtocol(
        ApplicationProtocol.HTTP_2.id,
        (s, none) -> {
          s.upgrade(http2(s, connection, true));
          connected(s);
        });
    connection.bind(session);
    HttpVersionPolicy policy = connection.versionPolicy();
    if (policy == HttpVersionPolicy.FORCE_HTTP_1) {
      return http1(session, connection);
    }
    if (policy == HttpVersionPolicy.FORCE_HTTP_2) {
      return http2(session, connection, false);
    }
    return new HttpProtocolNegotiator(session, null);
  }

  private Http1Session http1(ProtocolIOSession session, ReactorConnection connection) {
    Http1Session http1 =
        new Http1Session(
            connection, http1Config.getInitialWindowSize(), http1Config.getBufferSize());
    http1.protocol =
        new ClientHttp1IOEventHandler(
            new Http1Duplexer(
                session,
                http1Config,
                charCodingConfig,
                http1.watching(new ResponseParser(http1Config)),
                http1));
    return http1;
  }

  /** Sends the connection preface (RFC 9113, 3.4), then hands the session over. */
  private IOEventHandler http2(
      ProtocolIOSession session, ReactorConnection connection, boolean negotiated) {
    GatheredOutput output = new GatheredOutput(session);
    Http2Session http2 = new Http2Session(connection, http2Config.getInitialWindowSize(), output);
    ClientH2StreamMultiplexerFactory multiplexers =
        new ClientH2StreamMultiplexerFactory(
            NO_INTERCEPTORS, null, http2Config, charCodingConfig, http2, http2.frames());
    return new ClientH2PrefaceHandler(
        output,
        multiplexers,
        negotiated,
        new ReactorConnection.Step<ProtocolIOSession>(connection) {
          @Override
          public void completed(ProtocolIOSession started) {
            HttpConnectionEventHandler protocol = (HttpConnectionEventHandler) started.getHandler();
            started.upgrade(http2);
            http2.begin(protocol);
          }
        },
        connection::failed) {

      @Override
      public void outputReady(IOSession session) throws IOException {
        begin(() -> super.outputReady(session));
      }

      @Override
      public void inputReady(IOSession session, @Nullable ByteBuffer src) throws IOException {
        begin(() -> super.inputReady(session, src));
      }

      // Once the preface is written, the engine has put its own handler in place, and goes on with
      // the SETTINGS. If that fails, say as the server has closed already, nobody but that handler
      // is told.
      private void begin(GuardedSession.Event event) throws IOException {
        try {
          event.run();
        } catch (IOException | RuntimeException e) {
          connection.failed(e);
          throw e;
        }
      }
    };
  }

  private static void connected(ProtocolIOSession session) {
    try {
      session.getHandler().connected(session);
    } catch (IOException cause) {
      session.getHandler().exception(session, cause);
    }
  }

  /**
   * The engine's own, which tells what is no response from a response that has a defect. What it
   * makes is of the classic interface's own class, so that no head is copied on its way.
   */
  private static final class ResponseParser extends DefaultHttpResponseParser<ClassicHttpResponse> {

    ResponseParser(Http1Config config) {
      super(config, LazyLaxLineParser.INSTANCE, DefaultClassicHttpResponseFactory.INSTANCE);
    }

    @Override
    protected ClassicHttpResponse createMessage(CharArrayBuffer firstLine) throws HttpException {
      try {
        return super.createMessage(firstLine);
      } catch (ParseException e) {
        throw new ApacheFailures.NoStatusLine(e);
      }
    }
  }
}
