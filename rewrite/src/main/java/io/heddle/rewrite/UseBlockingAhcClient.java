package io.heddle.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;

/** Makes a {@code BlockingAhcClient} where an {@code AsyncHttpClient} was made. */
public final class UseBlockingAhcClient extends Recipe {

  private static final String CLIENT = "org.asynchttpclient.AsyncHttpClient";
  private static final String DEFAULT = "org.asynchttpclient.DefaultAsyncHttpClient";
  private static final String DSL = "org.asynchttpclient.Dsl";
  private static final String OURS = "io.heddle.ahc.BlockingAhcClient";

  private static final MethodMatcher DSL_CLIENT = new MethodMatcher(DSL + " asyncHttpClient(..)");

  private static final String[] STUBS = {
    "package org.asynchttpclient; public interface AsyncHttpClient {}",
    "package org.asynchttpclient; public interface AsyncHttpClientConfig {}",
    """
    package org.asynchttpclient;
    public class DefaultAsyncHttpClientConfig implements AsyncHttpClientConfig {
      public static class Builder { public DefaultAsyncHttpClientConfig build() { return null; } }
    }
    """,
    """
    package io.heddle.ahc;
    public final class BlockingAhcClient implements org.asynchttpclient.AsyncHttpClient {
      public BlockingAhcClient() {}
      public BlockingAhcClient(org.asynchttpclient.AsyncHttpClientConfig config) {}
    }
    """
  };

  private static final JavaTemplate PLAIN =
      ClientVisitor.code("new BlockingAhcClient()", OURS, STUBS);
  private static final JavaTemplate OF_CONFIG =
      ClientVisitor.code(
          "new BlockingAhcClient(#{any(org.asynchttpclient.AsyncHttpClientConfig)})", OURS, STUBS);
  private static final JavaTemplate OF_BUILDER =
      ClientVisitor.code(
          "new BlockingAhcClient(#{any(org.asynchttpclient.DefaultAsyncHttpClientConfig.Builder)}.build())",
          OURS,
          STUBS);

  @Override
  public String getDisplayName() {
    return "Make Heddle's client for AsyncHttpClient";
  }

  @Override
  public String getDescription() {
    return "Replaces `asyncHttpClient(..)` and `new DefaultAsyncHttpClient(..)` by `new"
        + " BlockingAhcClient(..)`.";
  }

  /** What adds the dependency looks at the outcome. */
  @Override
  public boolean causesAnotherCycle() {
    return true;
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getVisitor() {
    return new ClientVisitor() {

      @Override
      public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
        J visited = super.visitMethodInvocation(call, context);
        if (!DSL_CLIENT.matches(call)) {
          return visited;
        }
        maybeRemoveImport(DSL);
        maybeRemoveImport(DSL + ".asyncHttpClient");
        return made((J.MethodInvocation) visited, call.getArguments());
      }

      @Override
      public J visitNewClass(J.NewClass made, ExecutionContext context) {
        J visited = super.visitNewClass(made, context);
        TypeTree named = made.getClazz();
        if (named == null || !isOf(named.getType(), DEFAULT)) {
          return visited;
        }
        if (made.getBody() != null || !isOf(wanted(), CLIENT)) {
          note("stays AHC's, as more than an AsyncHttpClient may be wanted of it.");
          return visited;
        }
        maybeRemoveImport(DEFAULT);
        return made((J.NewClass) visited, made.getArguments());
      }

      private J made(Expression now, java.util.List<Expression> arguments) {
        if (hasNoArguments(arguments)) {
          return replace(now, PLAIN, OURS);
        }
        Expression configuration = arguments.getFirst();
        boolean builder =
            isOf(
                configuration.getType(),
                "org.asynchttpclient.DefaultAsyncHttpClientConfig$Builder");
        return replace(now, builder ? OF_BUILDER : OF_CONFIG, OURS, configuration);
      }

      // What the place of the expression takes, where that is easily told.
      private @Nullable JavaType wanted() {
        Cursor around = getCursor().getParentTreeCursor();
        if (around.getValue() instanceof J.VariableDeclarations.NamedVariable variable) {
          return variable.getType();
        }
        if (around.getValue() instanceof J.Assignment assignment) {
          return assignment.getVariable().getType();
        }
        return around.getValue() instanceof J.Return
                && around.getParentTreeCursor().getParentTreeCursor().getValue()
                    instanceof J.MethodDeclaration method
                && method.getReturnTypeExpression() != null
            ? method.getReturnTypeExpression().getType()
            : null;
      }
    };
  }
}
