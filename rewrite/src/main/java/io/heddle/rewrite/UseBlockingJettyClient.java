package io.heddle.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;

/**
 * Makes a {@code BlockingJettyClient} where Jetty's {@code HttpClient} was made, and our classes
 * for streams where Jetty's were. They extend Jetty's, so no declaration changes.
 */
public final class UseBlockingJettyClient extends Recipe {

  private static final MethodMatcher SET_EXECUTOR =
      new MethodMatcher("org.eclipse.jetty.client.HttpClient setExecutor(..)");

  /** A class of Jetty's, and ours, whose constructors have the same parameters. */
  private record Pair(
      String theirs,
      String simple,
      String ours,
      String parameter,
      JavaTemplate plain,
      JavaTemplate with) {

    static Pair of(String theirs, String simple, String parameter) {
      String full = "org.eclipse.jetty.client." + theirs;
      String ours = "io.heddle.jetty." + simple;
      String[] stubs = {
        "package org.eclipse.jetty.client; public class HttpClientTransport {}",
        "package org.eclipse.jetty.client; public class " + theirs + " {}",
        "package io.heddle.jetty;\npublic class %1$s extends %2$s { public %1$s() {} public %1$s(%3$s p) {} }"
            .formatted(simple, full, parameter)
      };
      return new Pair(
          full,
          simple,
          ours,
          parameter,
          ClientVisitor.code("new " + simple + "()", ours, stubs),
          ClientVisitor.code("new " + simple + "(#{any(" + parameter + ")})", ours, stubs));
    }

    boolean hasConstructor(JavaType.@Nullable Method theirs) {
      return theirs != null
          && theirs.getParameterTypes().size() == 1
          && ClientVisitor.isOf(theirs.getParameterTypes().getFirst(), parameter);
    }
  }

  private static final List<Pair> PAIRS =
      List.of(
          Pair.of(
              "HttpClient", "BlockingJettyClient", "org.eclipse.jetty.client.HttpClientTransport"),
          Pair.of("InputStreamResponseListener", "BlockingResponseListener", "java.lang.Object"),
          Pair.of("OutputStreamRequestContent", "BlockingRequestContent", "java.lang.String"));

  @Override
  public String getDisplayName() {
    return "Make Heddle's client for Jetty";
  }

  @Override
  public String getDescription() {
    return "Replaces `new HttpClient()` of Jetty's client by `new BlockingJettyClient()`, and"
        + " `InputStreamResponseListener` and `OutputStreamRequestContent` by what Heddle has in"
        + " their place.";
  }

  /** What adds the dependency looks at the outcome. */
  @Override
  public boolean causesAnotherCycle() {
    return true;
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getVisitor() {
    return new ClientVisitor(Library.JETTY) {

      @Override
      public J visitNewClass(J.NewClass made, ExecutionContext context) {
        J visited = super.visitNewClass(made, context);
        TypeTree named = made.getClazz();
        for (Pair each : PAIRS) {
          if (named == null || !isOf(named.getType(), each.theirs())) {
            continue;
          }
          if (made.getBody() != null) {
            note("stays Jetty's, as it has a body of its own; " + each.simple() + " can have one.");
            return visited;
          }
          boolean plain = hasNoArguments(made.getArguments());
          if (!plain && !each.hasConstructor(made.getConstructorType())) {
            note("stays Jetty's, as " + each.simple() + " has no constructor like this.");
            return visited;
          }
          maybeRemoveImport(each.theirs());
          J.NewClass now = (J.NewClass) visited;
          return plain
              ? replaceAsIs(now, each.plain(), each.ours())
              : replaceAsIs(now, each.with(), each.ours(), now.getArguments().getFirst());
        }
        return visited;
      }

      @Override
      public J visitClassDeclaration(J.ClassDeclaration declared, ExecutionContext context) {
        TypeTree parent = declared.getExtends();
        for (Pair each : PAIRS) {
          if (parent != null && isOf(parent.getType(), each.theirs())) {
            note("extend " + each.simple() + " instead.");
          }
        }
        return super.visitClassDeclaration(declared, context);
      }

      @Override
      public J visitMemberReference(J.MemberReference reference, ExecutionContext context) {
        for (Pair each : PAIRS) {
          if (isConstructor(reference.getMethodType(), each.theirs())) {
            noteReference("new " + each.simple() + "(..)");
          }
        }
        return super.visitMemberReference(reference, context);
      }

      @Override
      public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
        if (SET_EXECUTOR.matches(call)
            && isOf(
                call.getArguments().getFirst().getType(),
                "org.eclipse.jetty.util.thread.VirtualThreadPool")) {
          note("a VirtualThreadPool has no place here: leave it out, or set a QueuedThreadPool.");
        }
        return super.visitMethodInvocation(call, context);
      }
    };
  }
}
