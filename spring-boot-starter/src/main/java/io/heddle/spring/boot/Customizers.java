package io.heddle.spring.boot;

import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.util.LambdaSafe;

/**
 * Applies an application's customizers, each to what it is for: Heddle's builder, or any, or the
 * one of Boot's in whose place Heddle's stands.
 */
final class Customizers {

  private Customizers() {}

  /** To Apache's: those for Boot's builder change the part of it that is Boot's. */
  static ClientHttpRequestFactoryBuilder<?> apply(
      List<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers,
      ApacheRequestFactoryBuilder builder) {
    ClientHttpRequestFactoryBuilder<?> current = builder;
    for (ClientHttpRequestFactoryBuilderCustomizer<?> each : customizers) {
      UnaryOperator<ClientHttpRequestFactoryBuilder<?>> otherwise =
          ours ->
              ours instanceof ApacheRequestFactoryBuilder apache
                  ? apache.with(boot -> customized(each, boot))
                  : ours;
      current = orElse(each, current, otherwise);
    }
    return current;
  }

  private static HttpComponentsClientHttpRequestFactoryBuilder customized(
      ClientHttpRequestFactoryBuilderCustomizer<?> customizer,
      HttpComponentsClientHttpRequestFactoryBuilder boot) {
    return (HttpComponentsClientHttpRequestFactoryBuilder) orElse(customizer, boot, same -> same);
  }

  /**
   * To Jetty's or the JDK's: those for Boot's builder have nothing that they could change, which is
   * logged.
   *
   * @param boots a builder of Boot's in whose place this one stands
   */
  static ClientHttpRequestFactoryBuilder<?> apply(
      List<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers,
      ClientHttpRequestFactoryBuilder<?> builder,
      ClientHttpRequestFactoryBuilder<?> boots) {
    ClientHttpRequestFactoryBuilder<?> current = builder;
    for (ClientHttpRequestFactoryBuilderCustomizer<?> each : customizers) {
      current =
          orElse(
              each,
              current,
              ours -> {
                if (callback(each, boots).invokeAnd(one -> customize(one, boots)).hasResult()) {
                  warn(each, boots, builder);
                }
                return ours;
              });
    }
    return current;
  }

  private static void warn(Object customizer, Object boots, Object ours) {
    LogFactory.getLog(Customizers.class)
        .warn(
            "%s customizes %s and so has no effect: with Heddle, customize %s"
                .formatted(customizer, boots.getClass().getName(), ours.getClass().getName()));
  }

  /** What the customizer makes of the builder, if it is for such a one. */
  private static ClientHttpRequestFactoryBuilder<?> orElse(
      ClientHttpRequestFactoryBuilderCustomizer<?> customizer,
      ClientHttpRequestFactoryBuilder<?> builder,
      UnaryOperator<ClientHttpRequestFactoryBuilder<?>> otherwise) {
    ClientHttpRequestFactoryBuilder<?> result =
        callback(customizer, builder).invokeAnd(one -> customize(one, builder)).get(null);
    return result != null ? result : otherwise.apply(builder);
  }

  @SuppressWarnings("rawtypes") // Spring looks at the type that the customizer declares
  private static LambdaSafe.Callback<
          ClientHttpRequestFactoryBuilderCustomizer, ClientHttpRequestFactoryBuilder<?>>
      callback(
          ClientHttpRequestFactoryBuilderCustomizer<?> customizer,
          ClientHttpRequestFactoryBuilder<?> builder) {
    return LambdaSafe.callback(
        ClientHttpRequestFactoryBuilderCustomizer.class, customizer, builder);
  }

  @SuppressWarnings({"rawtypes", "unchecked"}) // it is what callback(..) has found it to be
  private static ClientHttpRequestFactoryBuilder<?> customize(
      ClientHttpRequestFactoryBuilderCustomizer customizer,
      ClientHttpRequestFactoryBuilder<?> builder) {
    return customizer.customize(builder);
  }
}
