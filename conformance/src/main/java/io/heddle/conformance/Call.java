package io.heddle.conformance;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call to make.
 *
 * @param method in capital letters
 * @param headers fields to send besides those that the library makes
 * @param body null if there is none
 * @param deadline over the whole call, from {@link PreparedCall#execute()} to the end of the
 *     response's body; zero is over already; null if there is none but the client's
 * @param expectContinue whether to ask the server before the body is sent
 */
public record Call(
    String method,
    URI uri,
    List<Map.Entry<String, String>> headers,
    @Nullable Body body,
    @Nullable Duration deadline,
    boolean expectContinue) {

  /** A call that is not complete yet. */
  public static final class Builder {
    private final String method;
    private final URI uri;
    private final List<Map.Entry<String, String>> headers = new ArrayList<>();
    private @Nullable Body body;
    private @Nullable Duration deadline;
    private boolean expectContinue;

    private Builder(String method, URI uri) {
      this.method = method;
      this.uri = uri;
    }

    public Builder header(String name, String value) {
      headers.add(Map.entry(name, value));
      return this;
    }

    public Builder body(Body body) {
      this.body = body;
      return this;
    }

    public Builder deadline(Duration deadline) {
      this.deadline = deadline;
      return this;
    }

    public Builder expectContinue() {
      this.expectContinue = true;
      return this;
    }

    public Call build() {
      return new Call(method, uri, List.copyOf(headers), body, deadline, expectContinue);
    }
  }

  public static Builder get(URI uri) {
    return new Builder("GET", uri);
  }

  public static Builder head(URI uri) {
    return new Builder("HEAD", uri);
  }

  public static Builder post(URI uri, Body body) {
    return new Builder("POST", uri).body(body);
  }
}
