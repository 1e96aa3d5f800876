package io.heddle.conformance;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Cipher;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The server's certificates: two key stores beside this class, valid until the year 2119. Java has
 * no way of its own to sign a certificate at run time, and a library that has one is not worth a
 * dependency for two files. Each was made like this, the other with {@code
 * san=dns:another.heddle.example}:
 *
 * <pre>
 * keytool -genkeypair -alias server -keyalg EC -groupname secp256r1 -dname "CN=Heddle conformance kit" \
 *   -ext "san=dns:localhost,dns:*.heddle.test,ip:127.0.0.1,…,ip:127.0.0.20" \
 *   -startdate "2020/01/01 00:00:00" -validity 36500 \
 *   -storetype PKCS12 -storepass conformance -keystore server.p12
 * </pre>
 */
enum Certificates {
  /** For localhost, the names under heddle.test, and 127.0.0.1 to 127.0.0.20. */
  RIGHT("server.p12"),
  /** For a host that the server is not. */
  ANOTHER_HOST("another-host.p12");

  private static final char[] PASSWORD = "conformance".toCharArray();

  /**
   * In the server's order. The JDK's own AES is machine code with the better compiler alone, which
   * test JVMs do without: there ChaCha20 takes a quarter of the time.
   */
  static final List<String> CIPHERS = ciphers();

  private static final Map<Certificates, KeyStore> LOADED = new ConcurrentHashMap<>();

  private final String file;

  Certificates(String file) {
    this.file = file;
  }

  private static List<String> ciphers() {
    String aes = "TLS_AES_128_GCM_SHA256";
    String chaCha = "TLS_CHACHA20_POLY1305_SHA256";
    String older = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"; // of TLS 1.2
    return isAesOfTheJdk() ? List.of(chaCha, aes, older) : List.of(aes, chaCha, older);
  }

  private static boolean isAesOfTheJdk() {
    try {
      return Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName().equals("SunJCE");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a client has to trust. */
  X509Certificate certificate() {
    try {
      return (X509Certificate) Objects.requireNonNull(load().getCertificate("server"));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(file, e);
    }
  }

  /** The server's side, offering only the protocol of this wire. */
  SslContext serverContext(Wire wire) {
    try {
      return SslContextBuilder.forServer(keys())
          .sslProvider(SslProvider.JDK)
          .ciphers(CIPHERS)
          .applicationProtocolConfig(
              new ApplicationProtocolConfig(
                  Protocol.ALPN,
                  SelectorFailureBehavior.NO_ADVERTISE,
                  SelectedListenerFailureBehavior.ACCEPT,
                  wire.isMultiplexed()
                      ? ApplicationProtocolNames.HTTP_2
                      : ApplicationProtocolNames.HTTP_1_1))
          .build();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(file, e);
    }
  }

  /** Either side of mutual TLS, without ALPN: has the key, and trusts its certificate alone. */
  SSLContext sslContext() {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("server", certificate());
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys().getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(file, e);
    }
  }

  private KeyManagerFactory keys() throws GeneralSecurityException, IOException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(load(), PASSWORD);
    return keys;
  }

  /** Once: its password takes thousands of rounds. */
  private KeyStore load() throws GeneralSecurityException, IOException {
    KeyStore loaded = LOADED.get(this);
    if (loaded != null) {
      return loaded;
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Certificates.class.getResourceAsStream(file)) {
      store.load(Objects.requireNonNull(in, file), PASSWORD);
    }
    LOADED.put(this, store);
    return store;
  }
}
