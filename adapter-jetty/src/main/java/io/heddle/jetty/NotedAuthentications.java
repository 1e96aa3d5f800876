package io.heddle.jetty;

import java.net.URI;
import java.util.function.Consumer;
import org.eclipse.jetty.client.Authentication;
import org.eclipse.jetty.client.AuthenticationStore;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * A store that tells of each authentication that it is given, and whose look-up does not throw:
 * Jetty looks up where nobody catches, and its caller would wait for ever. What the look-up throws,
 * an {@link Authentication#matches} of the user's say, the authentication throws that it finds;
 * that Jetty catches, and fails the call with it.
 */
final class NotedAuthentications implements AuthenticationStore {

  private final AuthenticationStore store;
  private final Consumer<Object> note;

  NotedAuthentications(AuthenticationStore store, Consumer<Object> note) {
    this.store = store;
    this.note = note;
  }

  @Override
  public void addAuthentication(Authentication authentication) {
    note.accept(authentication);
    store.addAuthentication(authentication);
  }

  @Override
  public void removeAuthentication(Authentication authentication) {
    store.removeAuthentication(authentication);
  }

  @Override
  public void clearAuthentications() {
    store.clearAuthentications();
  }

  @Override
  public @Nullable Authentication findAuthentication(String type, URI uri, String realm) {
    try {
      return store.findAuthentication(type, uri, realm);
    } catch (RuntimeException | Error e) {
      return new Torn(e);
    }
  }

  /** Throws what the look-up threw. */
  private record Torn(Throwable thrown) implements Authentication {

    @Override
    public boolean matches(String type, URI uri, String realm) {
      return true;
    }

    @Override
    public Result authenticate(
        Request request, ContentResponse response, HeaderInfo headerInfo, Attributes context) {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    }
  }

  @Override
  public void addAuthenticationResult(Authentication.Result result) {
    note.accept(result);
    store.addAuthenticationResult(result);
  }

  @Override
  public void removeAuthenticationResult(Authentication.Result result) {
    store.removeAuthenticationResult(result);
  }

  @Override
  public void clearAuthenticationResults() {
    store.clearAuthenticationResults();
  }

  @Override
  public Authentication.@Nullable Result findAuthenticationResult(URI uri) {
    return store.findAuthenticationResult(uri);
  }

  @Override
  public boolean hasAuthenticationResults() {
    return store.hasAuthenticationResults();
  }
}
