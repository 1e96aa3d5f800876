package io.heddle.okhttp;

import io.heddle.conformance.Client;
import io.heddle.conformance.ClientSettings;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Calls through a client that was rebuilt from a wrapped one with an interceptor more, as Feign and
 * others do. The wrapped one is closed and described: a rebuilt client has neither.
 */
public final class RebuiltOkHttpDriver extends OkHttpDriver {

  private static final String ADDED = "added interceptor";

  @Override
  public Client open(ClientSettings settings) {
    return new KitClient(
        settings,
        client ->
            client
                .newBuilder()
                .addInterceptor(
                    chain -> {
                      settings.probe().accept(ADDED);
                      return chain.proceed(chain.request());
                    })
                .build());
  }

  @Override
  public Set<String> onCallersThread() {
    return Stream.concat(super.onCallersThread().stream(), Stream.of(ADDED))
        .collect(Collectors.toUnmodifiableSet());
  }
}
