package io.heddle.rewrite;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Where the value of an expression goes: a subclass may fit there, or not. */
record Place(J expression, Cursor around) {

  /** The place of the expression that is visited; parentheses and {@code ?:} give a value on. */
  static Place of(Cursor visited) {
    Cursor around = visited.getParentTreeCursor();
    return around.getValue() instanceof J.Ternary || around.getValue() instanceof J.Parentheses
        ? of(around)
        : new Place(visited.getValue(), around);
  }

  /** The type that is declared for the place, or null. */
  @Nullable JavaType wanted() {
    return switch (around.<Object>getValue()) {
      case J.VariableDeclarations.NamedVariable variable -> isVar() ? null : variable.getType();
      case J.Assignment assignment -> assignment.getVariable().getType();
      case J.TypeCast cast -> cast.getClazz().getTree().getType();
      case J.Return of -> returned();
      case J.MethodInvocation call -> parameter(call.getMethodType(), call.getArguments());
      case J.NewClass made -> parameter(made.getConstructorType(), made.getArguments());
      default -> null;
    };
  }

  /** Whether what is around takes its type from the expression. */
  boolean infers() {
    return switch (around.<Object>getValue()) {
      case J.Lambda lambda -> !isVoid(lambda);
      case J.Case of -> isOfExpression();
      case J.Yield of -> true;
      case J.MethodInvocation call -> wanted() == null && !expression.isScope(call.getSelect());
      case J.VariableDeclarations.NamedVariable of -> wanted() == null;
      case J.Return of -> wanted() == null;
      case J.NewClass of -> wanted() == null;
      default -> false;
    };
  }

  private boolean isVar() {
    return around.getParentTreeCursor().getValue() instanceof J.VariableDeclarations declared
        && declared.getTypeExpression() instanceof J.Identifier type
        && type.getSimpleName().equals("var");
  }

  private @Nullable JavaType returned() {
    Object from =
        around
            .dropParentUntil(
                each -> each instanceof J.MethodDeclaration || each instanceof J.Lambda)
            .getValue();
    return from instanceof J.MethodDeclaration method && method.getReturnTypeExpression() != null
        ? method.getReturnTypeExpression().getType()
        : null;
  }

  private @Nullable JavaType parameter(
      JavaType.@Nullable Method method, List<Expression> arguments) {
    int at =
        IntStream.range(0, arguments.size())
            .filter(each -> arguments.get(each).isScope(expression))
            .findFirst()
            .orElse(-1);
    if (method == null || at < 0 || at >= method.getParameterTypes().size()) {
      return null;
    }
    boolean inferred =
        method.getDeclaringType().getMethods().stream()
            .filter(each -> each.getName().equals(method.getName()))
            .map(JavaType.Method::getParameterTypes)
            .anyMatch(
                each ->
                    each.size() == method.getParameterTypes().size()
                        && each.get(at) instanceof JavaType.GenericTypeVariable);
    JavaType type = method.getParameterTypes().get(at);
    return inferred || type instanceof JavaType.Array ? null : type;
  }

  private boolean isOfExpression() {
    return around
            .dropParentUntil(each -> each instanceof J.Switch || each instanceof J.SwitchExpression)
            .getValue()
        instanceof J.SwitchExpression;
  }

  private static boolean isVoid(J.Lambda lambda) {
    JavaType.FullyQualified type = TypeUtils.asFullyQualified(lambda.getType());
    return type == null || isVoid(type); // a cast is no statement
  }

  private static boolean isVoid(JavaType.FullyQualified type) {
    return type.getMethods().stream()
            .anyMatch(
                each ->
                    each.hasFlags(Flag.Abstract) && each.getReturnType() == JavaType.Primitive.Void)
        || type.getInterfaces().stream().anyMatch(Place::isVoid);
  }
}
