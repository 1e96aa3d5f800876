package io.heddle.rewrite;

import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/**
 * Wraps what makes a client. A source that names our class already is left alone: its author, or a
 * run before, has decided there.
 */
abstract class Wrapping extends ClientVisitor {
  private final String ours;
  private final JavaTemplate wrap;
  private final MethodMatcher build;

  /**
   * @param theirs the client's class
   * @param ours our class, which has a static {@code wrap}
   * @param builder the client's builder
   * @param theirStub the client's class, or another one if each Java has it
   * @param libraries what has the client's class
   */
  Wrapping(String theirs, String ours, String builder, String theirStub, Library... libraries) {
    super(libraries);
    this.ours = ours;
    this.build = new MethodMatcher(builder + " build()");
    int dot = ours.lastIndexOf('.');
    String simple = ours.substring(dot + 1);
    String stub =
        "package %1$s; public class %2$s { public static %3$s wrap(%3$s c) { return c; } }"
            .formatted(ours.substring(0, dot), simple, theirs);
    this.wrap = code(simple + ".wrap(#{any(" + theirs + ")})", ours, stub, theirStub);
  }

  /** Whether this makes a client with the defaults. */
  abstract boolean makes(Expression expression);

  /** Whether this method, or constructor, makes a client with the defaults. */
  abstract boolean makes(JavaType.Method method);

  /** Whether this begins a builder that has nothing of a client before. */
  abstract boolean begins(Expression expression);

  @Override
  public J visitCompilationUnit(J.CompilationUnit source, ExecutionContext context) {
    return uses(source, ours, context) ? source : super.visitCompilationUnit(source, context);
  }

  @Override
  public J visitNewClass(J.NewClass made, ExecutionContext context) {
    J visited = super.visitNewClass(made, context);
    return makes(made) ? wrapped((J.NewClass) visited) : visited;
  }

  @Override
  public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
    J visited = super.visitMethodInvocation(call, context);
    return makes(call) || (build.matches(call) && isNew(call))
        ? wrapped((J.MethodInvocation) visited)
        : visited;
  }

  @Override
  public J visitMemberReference(J.MemberReference reference, ExecutionContext context) {
    JavaType.Method method = reference.getMethodType();
    if (method != null && (makes(method) || build.matches(method))) {
      noteReference(ours.substring(ours.lastIndexOf('.') + 1) + ".wrap(..)");
    }
    return super.visitMemberReference(reference, context);
  }

  /** A builder in a variable counts as new: what wraps a client that is ours gives that back. */
  private boolean isNew(J.MethodInvocation build) {
    Expression from = build;
    while (from instanceof J.MethodInvocation call && !begins(from) && call.getSelect() != null) {
      if (call.getSimpleName().equals("newBuilder")) {
        return false;
      }
      from = call.getSelect();
    }
    return true;
  }

  private J wrapped(Expression client) {
    return replaceAsIs(client, wrap, ours, client);
  }
}
