package io.heddle.jetty;

import java.net.URI;
import java.util.function.Consumer;
import org.eclipse.jetty.client.Authentication;
import org.eclipse.jetty.client.AuthenticationStore;
import org.jspecify.annotations.Nullable;

/** A store that tells of each authentication that it is given. */
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
    return store.findAuthentication(type, uri, realm);
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
