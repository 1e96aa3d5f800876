package io.heddle.conformance;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client is to be like. Everything that is not here stays as the adapter has it by default.
 *
 * @param wire the only one that the client speaks
 * @param trusted the one certificate to trust; null for those that Java trusts
 * @param maxConnections how many connections the pool may have, per route and in all
 * @param connectTimeout the library's own
 * @param leaseTimeout the library's own
 * @param readTimeout the library's own: how long nothing may come from the server, be it before the
 *     head or within the body
 * @param deadline over each whole call; null for none, which is the adapter's default
 * @param credentials to answer a challenge of the scheme Basic with; null for none
 * @param lookup to be asked in place of the name service; null for the name service
 * @param followRedirects whether the client follows 302, 307 and 308
 * @param decompress whether the client undoes gzip
 * @param cookies whether the client keeps cookies
 * @param probe to be called with a word, such as "interceptor", from each kind of user code that
 *     the library can run during a call: interceptors, listeners, resolvers, cookie stores,
 *     authenticators, …, so that the kit sees the threads that they run on
 */
public record ClientSettings(
    Wire wire,
    @Nullable X509Certificate trusted,
    int maxConnections,
    Duration connectTimeout,
    Duration leaseTimeout,
    Duration readTimeout,
    @Nullable Duration deadline,
    @Nullable Credentials credentials,
    @Nullable NameLookup lookup,
    boolean followRedirects,
    boolean decompress,
    boolean cookies,
    Consumer<String> probe) {

  /** A name and a password. */
  public record Credentials(String user, String password) {}

  /** Of a rule that asks for no other number: a driver may take it for no limit at all. */
  public static final int MAX_CONNECTIONS = 20;

  /** Longer than what a rule waits for. */
  private static final Duration NEVER = Bounds.LONG.multipliedBy(2);

  /** Settings to start from: {@link #MAX_CONNECTIONS}, and timeouts that no rule waits for. */
  public static Builder of(Wire wire) {
    return new Builder(wire);
  }

  /** Settings that are not complete yet. */
  public static final class Builder {
    private final Wire wire;
    private @Nullable X509Certificate trusted;
    private int maxConnections = MAX_CONNECTIONS;
    private Duration connectTimeout = NEVER;
    private Duration leaseTimeout = NEVER;
    private Duration readTimeout = NEVER;
    private @Nullable Duration deadline;
    private @Nullable Credentials credentials;
    private @Nullable NameLookup lookup;
    private boolean followRedirects;
    private boolean decompress;
    private boolean cookies;
    private Consumer<String> probe = word -> {};

    private Builder(Wire wire) {
      this.wire = wire;
    }

    public Builder trust(@Nullable X509Certificate trusted) {
      this.trusted = trusted;
      return this;
    }

    public Builder maxConnections(int maxConnections) {
      this.maxConnections = maxConnections;
      return this;
    }

    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = connectTimeout;
      return this;
    }

    public Builder leaseTimeout(Duration leaseTimeout) {
      this.leaseTimeout = leaseTimeout;
      return this;
    }

    public Builder readTimeout(Duration readTimeout) {
      this.readTimeout = readTimeout;
      return this;
    }

    public Builder deadline(Duration deadline) {
      this.deadline = deadline;
      return this;
    }

    public Builder credentials(String user, String password) {
      this.credentials = new Credentials(user, password);
      return this;
    }

    public Builder lookup(NameLookup lookup) {
      this.lookup = lookup;
      return this;
    }

    public Builder followRedirects() {
      this.followRedirects = true;
      return this;
    }

    public Builder decompress() {
      this.decompress = true;
      return this;
    }

    public Builder cookies() {
      this.cookies = true;
      return this;
    }

    public Builder probe(Consumer<String> probe) {
      this.probe = probe;
      return this;
    }

    public ClientSettings build() {
      return new ClientSettings(
          wire,
          trusted,
          maxConnections,
          connectTimeout,
          leaseTimeout,
          readTimeout,
          deadline,
          credentials,
          lookup,
          followRedirects,
          decompress,
          cookies,
          probe);
    }
  }
}
