package io.heddle.rewrite;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/** What a set of sources does with Apache's pooling connection manager that ours cannot do. */
final class StockManagers {

  static final String MANAGER =
      "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager";
  static final String BUILDER = MANAGER + "Builder";
  static final Library[] LIBRARIES = {Library.HTTPCLIENT5, Library.HTTPCORE5};
  static final MethodMatcher SET_TLS = new MethodMatcher(BUILDER + " setTlsSocketStrategy(..)");

  private static final String TLS_STRATEGY = "org.apache.hc.core5.http.nio.ssl.TlsStrategy";

  /** The setters of the builder that ours lacks, and what does the same. */
  private static final Map<String, String> LACKING =
      Map.of(
          "setConnectionFactory", "setHttp1Config and setCharCodingConfig have its settings",
          "setSSLSocketFactory", "setTlsStrategy has its place",
          "setTlsSocketStrategy",
              "setTlsStrategy has its place, with ClientTlsStrategyBuilder.buildAsync()",
          "setConnectionTimeToLive", "ConnectionConfig.setTimeToLive does it",
          "setValidateAfterInactivity", "ConnectionConfig.setValidateAfterInactivity does it",
          "setOffLockDisposalEnabled", "leave it out");

  private static final Set<String> LACKING_IN_MANAGER =
      Set.of(
          "isClosed",
          "getDefaultSocketConfig",
          "getValidateAfterInactivity",
          "setValidateAfterInactivity");

  private final Set<String> declared = new HashSet<>();
  private final Set<String> takers = new HashSet<>();
  private boolean obstacles;

  /** Whether all managers stay as they are. */
  boolean stay() {
    return obstacles || !declared.containsAll(takers);
  }

  void scan(JavaSourceFile source, ExecutionContext context) {
    boolean java = source instanceof J.CompilationUnit;
    obstacles |=
        (!java || Library.tooOld(source, List.of(LIBRARIES)) != null)
            && ClientVisitor.uses(source, MANAGER + "*", context);
    if (!java) {
      return;
    }
    new JavaIsoVisitor<ExecutionContext>() {
      @Override
      public @Nullable J preVisit(J tree, ExecutionContext of) {
        if (tree instanceof J.ClassDeclaration declaration && declaration.getType() != null) {
          declared.add(declaration.getType().getFullyQualifiedName());
        }
        String taker = taker(tree);
        if (taker != null) {
          takers.add(taker);
        }
        obstacles |= lacking(tree) != null;
        return tree;
      }
    }.visit((Tree) source, context);
  }

  /** Why managers stay because of this, or null. */
  @Nullable String obstacle(J tree) {
    String lacking = lacking(tree);
    String taker = taker(tree);
    return lacking != null || taker == null || declared.contains(taker)
        ? lacking
        : taker + " takes or gives no other.";
  }

  private static @Nullable String lacking(J tree) {
    if (tree instanceof J.MethodInvocation call) {
      return lacking(call);
    }
    if (tree instanceof J.NewClass made) {
      return isStock(made.getClazz()) && !ClientVisitor.isDefault(made)
          ? "use BlockingConnectionManager.builder() for this constructor."
          : null;
    }
    if (tree instanceof J.ClassDeclaration declaration && isStock(declaration.getExtends())) {
      return "ours cannot be extended.";
    }
    // An import names the field, and has no type of it.
    if (tree instanceof J.FieldAccess field
        && isStock(field.getTarget().getType())
        && field.getSimpleName().startsWith("DEFAULT_")) {
      return field.getSimpleName() + " has no counterpart.";
    }
    if (tree instanceof J.Identifier name
        && name.getFieldType() != null
        && isStock(name.getFieldType().getOwner())
        && name.getSimpleName().startsWith("DEFAULT_")) {
      return name.getSimpleName() + " has no counterpart.";
    }
    return tree instanceof J.MemberReference reference
            && isStock(reference.getContaining().getType())
        ? "there is a reference to a method."
        : null;
  }

  private static @Nullable String lacking(J.MethodInvocation call) {
    String name = call.getSimpleName();
    if (isOn(call, BUILDER) && LACKING.containsKey(name)) {
      return SET_TLS.matches(call)
              && TypeUtils.isAssignableTo(TLS_STRATEGY, call.getArguments().getFirst().getType())
          ? null
          : name + " has no counterpart; " + LACKING.get(name) + ".";
    }
    return isOn(call, MANAGER) && LACKING_IN_MANAGER.contains(name)
        ? name + " has no counterpart."
        : null;
  }

  private static boolean isOn(J.MethodInvocation call, String type) {
    return call.getMethodType() != null
        && ClientVisitor.isOf(call.getMethodType().getDeclaringType(), type);
  }

  private static boolean isStock(@Nullable TypeTree named) {
    return named != null && isStock(named.getType());
  }

  private static boolean isStock(@Nullable JavaType type) {
    return ClientVisitor.isOf(type, MANAGER) || ClientVisitor.isOf(type, BUILDER);
  }

  /** The class of the method that is called here, if managers go in or out there. */
  private static @Nullable String taker(J tree) {
    JavaType.Method method =
        tree instanceof J.MethodInvocation call
            ? call.getMethodType()
            : tree instanceof J.NewClass made ? made.getConstructorType() : null;
    if (method == null || isStock(method.getDeclaringType())) {
      return null;
    }
    String owner = method.getDeclaringType().getFullyQualifiedName();
    return !owner.startsWith("java.")
            && (names(method.getReturnType()) || anyNames(method.getParameterTypes()))
        ? owner
        : null;
  }

  private static boolean anyNames(List<JavaType> types) {
    return types.stream().anyMatch(StockManagers::names);
  }

  private static boolean names(@Nullable JavaType type) {
    return isStock(type)
        || (type instanceof JavaType.Parameterized of && anyNames(of.getTypeParameters()))
        || (type instanceof JavaType.GenericTypeVariable of && anyNames(of.getBounds()))
        || (type instanceof JavaType.Array of && names(of.getElemType()));
  }
}
