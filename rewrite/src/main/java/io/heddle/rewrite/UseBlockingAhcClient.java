package io.heddle.rewrite;

import java.util.List;
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
    return new ClientVisitor(Library.ASYNC_HTTP_CLIENT) {

      @Override
      public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
        J visited = super.visitMethodInvocation(call, context);
        if (!DSL_CLIENT.matches(call)) {
          return visited;
        }
        if (isOf(Place.of(getCursor()).wanted(), DEFAULT)) {
          return stays(visited);
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
        if (made.getBody() != null || !isOf(Place.of(getCursor()).wanted(), CLIENT)) {
          return stays(visited);
        }
        maybeRemoveImport(DEFAULT);
        return made((J.NewClass) visited, made.getArguments());
      }

      @Override
      public J visitMemberReference(J.MemberReference reference, ExecutionContext context) {
        JavaType.Method method = reference.getMethodType();
        if (DSL_CLIENT.matches(method) || isConstructor(method, DEFAULT)) {
          noteReference("new BlockingAhcClient(..)");
        }
        return super.visitMemberReference(reference, context);
      }

      private J stays(J visited) {
        note("stays AHC's, as more than an AsyncHttpClient may be wanted of it.");
        return visited;
      }

      private J made(Expression now, List<Expression> arguments) {
        if (hasNoArguments(arguments)) {
          return replaceAsIs(now, PLAIN, OURS);
        }
        Expression configuration = arguments.getFirst();
        boolean builder =
            isOf(
                configuration.getType(),
                "org.asynchttpclient.DefaultAsyncHttpClientConfig$Builder");
        return replaceAsIs(now, builder ? OF_BUILDER : OF_CONFIG, OURS, configuration);
      }
    };
  }
}
