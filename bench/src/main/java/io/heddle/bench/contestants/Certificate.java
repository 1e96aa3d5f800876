package io.heddle.bench.contestants;

import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Objects;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The target server's certificate, which clients show too, for localhost and 127.0.0.1, valid until
 * the year 2119: a key store beside this class. It is no secret and guards nothing. It was made
 * like this:
 *
 * <pre>
 * keytool -genkeypair -alias server -keyalg EC -groupname secp256r1 -dname "CN=Heddle bench" \
 *   -ext "san=dns:localhost,ip:127.0.0.1" -startdate "2020/01/01 00:00:00" -validity 36500 \
 *   -storetype PKCS12 -storepass heddle-bench -keystore server.p12
 * </pre>
 */
public final class Certificate {

  private static final char[] PASSWORD = "heddle-bench".toCharArray();

  private Certificate() {}

  /** What a client has to trust. */
  static X509Certificate certificate() {
    try {
      return (X509Certificate) Objects.requireNonNull(load().getCertificate("server"));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Keys for the server. */
  public static KeyManagerFactory keys() {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(load(), PASSWORD);
      return keys;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The certificate and its key, as servers in other languages read them. */
  public static String pem() {
    try {
      return pem("CERTIFICATE", certificate().getEncoded())
          + pem("PRIVATE KEY", load().getKey("server", PASSWORD).getEncoded());
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String what, byte[] der) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(what, text);
  }

  /** Trusts the server alone. */
  static KeyStore trustStore() {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("server", certificate());
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same. */
  public static X509TrustManager trustManager() {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trustStore());
      return (X509TrustManager) factory.getTrustManagers()[0];
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Keys of a client, for a server that wants to see them: the same. */
  static KeyStore clientStore() {
    try {
      return load();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static String clientPassword() {
    return new String(PASSWORD);
  }

  /** For a client that trusts the server alone, and shows its own certificate if it is asked. */
  static SSLContext clientContext() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys().getKeyManagers(), new X509TrustManager[] {trustManager()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore load() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Certificate.class.getResourceAsStream("server.p12")) {
      store.load(Objects.requireNonNull(in), PASSWORD);
    }
    return store;
  }
}
