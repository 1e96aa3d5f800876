package io.heddle.rewrite;

import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.JavaType;

/** Wraps each {@code java.net.http.HttpClient} that is made. */
public final class WrapJdkHttpClient extends Recipe {

  private static final String CLIENT = "java.net.http.HttpClient";
  private static final MethodMatcher NEW_CLIENT = new MethodMatcher(CLIENT + " newHttpClient()");
  private static final MethodMatcher NEW_BUILDER = new MethodMatcher(CLIENT + " newBuilder()");

  @Override
  public String getDisplayName() {
    return "Wrap the JDK's HTTP client";
  }

  @Override
  public String getDescription() {
    return "Puts `BlockingJdkHttpClient.wrap(..)` around each `java.net.http.HttpClient` that is"
        + " made.";
  }

  /** What adds the dependency looks at the outcome. */
  @Override
  public boolean causesAnotherCycle() {
    return true;
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getVisitor() {
    return new Wrapping(
        CLIENT, "io.heddle.jdk.BlockingJdkHttpClient", CLIENT + "$Builder", "class None {}") {

      @Override
      boolean makes(Expression expression) {
        return NEW_CLIENT.matches(expression);
      }

      @Override
      boolean makes(JavaType.Method method) {
        return NEW_CLIENT.matches(method);
      }

      @Override
      boolean begins(Expression expression) {
        return NEW_BUILDER.matches(expression);
      }
    };
  }
}
