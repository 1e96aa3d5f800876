package io.heddle.rewrite;

import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/**
 * Wraps each {@code OkHttpClient} that is made anew. What {@code newBuilder()} of another one makes
 * is as that one is.
 */
public final class WrapOkHttpClient extends Recipe {

  private static final String CLIENT = "okhttp3.OkHttpClient";
  private static final String BUILDER = CLIENT + "$Builder";
  private static final String STUB = "package okhttp3; public class OkHttpClient {}";

  @Override
  public String getDisplayName() {
    return "Wrap OkHttp's client";
  }

  @Override
  public String getDescription() {
    return "Puts `BlockingOkHttpClient.wrap(..)` around each `OkHttpClient` that is made anew.";
  }

  /** What adds the dependency looks at the outcome. */
  @Override
  public boolean causesAnotherCycle() {
    return true;
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getVisitor() {
    return new Wrapping(
        CLIENT,
        "io.heddle.okhttp.BlockingOkHttpClient",
        BUILDER,
        STUB,
        Library.OKHTTP,
        Library.OKHTTP_JVM) {

      @Override
      boolean makes(Expression expression) {
        return expression instanceof J.NewClass made
            && isDefault(made)
            && isOf(made.getType(), CLIENT);
      }

      @Override
      boolean makes(JavaType.Method method) {
        return isConstructor(method, CLIENT);
      }

      @Override
      boolean begins(Expression expression) {
        return expression instanceof J.NewClass;
      }
    };
  }
}
