package io.heddle.rewrite;

import static io.heddle.rewrite.StockManagers.BUILDER;
import static io.heddle.rewrite.StockManagers.MANAGER;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Takes {@code BlockingHttpClients} for Apache's {@code HttpClients}, and {@code
 * BlockingConnectionManager} for its pooling connection manager.
 *
 * <p>Managers go from one source to another, so they change in all sources or in none: one that
 * cannot change (see {@link StockManagers}) keeps all, and a client keeps its stock manager.
 */
public final class UseBlockingHttpClients extends ScanningRecipe<StockManagers> {

  private static final String APACHE = "org.apache.hc.client5.http.impl.";
  private static final String CLIENTS = APACHE + "classic.HttpClients";
  private static final String CLIENT_BUILDER = APACHE + "classic.HttpClientBuilder";
  private static final String OUR_CLIENTS = "io.heddle.apache.BlockingHttpClients";
  private static final String OUR_MANAGER = "io.heddle.apache.BlockingConnectionManager";

  private static final MethodMatcher CUSTOM = new MethodMatcher(CLIENTS + " custom()");
  private static final MethodMatcher CREATE = new MethodMatcher(CLIENT_BUILDER + " create()");
  private static final MethodMatcher DEFAULT = new MethodMatcher(CLIENTS + " createDefault()");
  private static final MethodMatcher SYSTEM = new MethodMatcher(CLIENTS + " createSystem()");
  private static final MethodMatcher MINIMAL = new MethodMatcher(CLIENTS + " createMinimal(..)");
  private static final MethodMatcher CACHING =
      new MethodMatcher(APACHE + "cache.CachingHttpClient* *(..)");
  private static final MethodMatcher SET_MANAGER =
      new MethodMatcher(CLIENT_BUILDER + " setConnectionManager(..)", true);
  private static final MethodMatcher MANAGER_BUILDER = new MethodMatcher(BUILDER + " create()");

  private static final String[] STUBS = {
    "package org.apache.hc.client5.http.impl.classic; public class HttpClientBuilder {}",
    "package org.apache.hc.client5.http.impl.classic; public class CloseableHttpClient {}",
    """
    package io.heddle.apache;
    import org.apache.hc.client5.http.impl.classic.*;
    public final class BlockingHttpClients {
      public static HttpClientBuilder custom() { return null; }
      public static CloseableHttpClient createDefault() { return null; }
      public static CloseableHttpClient createSystem() { return null; }
    }
    """,
    """
    package io.heddle.apache;
    public final class BlockingConnectionManagerBuilder {
      public BlockingConnectionManager build() { return null; }
    }
    """,
    """
    package io.heddle.apache;
    public final class BlockingConnectionManager {
      public static BlockingConnectionManagerBuilder builder() { return null; }
    }
    """
  };

  private static final JavaTemplate OUR_CUSTOM = code("BlockingHttpClients.custom()", OUR_CLIENTS);
  private static final JavaTemplate OUR_DEFAULT =
      code("BlockingHttpClients.createDefault()", OUR_CLIENTS);
  private static final JavaTemplate OUR_SYSTEM =
      code("BlockingHttpClients.createSystem()", OUR_CLIENTS);
  private static final JavaTemplate OUR_MANAGER_BUILDER =
      code("BlockingConnectionManager.builder()", OUR_MANAGER);
  private static final JavaTemplate NEW_MANAGER =
      code("BlockingConnectionManager.builder().build()", OUR_MANAGER);

  private static JavaTemplate code(String code, String type) {
    return ClientVisitor.code(code, type, STUBS);
  }

  @Override
  public String getDisplayName() {
    return "Take Heddle's clients for Apache HttpClient 5";
  }

  @Override
  public String getDescription() {
    return "Replaces `HttpClients` by `BlockingHttpClients`, and"
        + " `PoolingHttpClientConnectionManager` by `BlockingConnectionManager`.";
  }

  /** What adds the dependency looks at the outcome. */
  @Override
  public boolean causesAnotherCycle() {
    return true;
  }

  @Override
  public StockManagers getInitialValue(ExecutionContext context) {
    return new StockManagers();
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getScanner(StockManagers managers) {
    return new TreeVisitor<Tree, ExecutionContext>() {
      @Override
      public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
        if (tree instanceof JavaSourceFile source) {
          managers.scan(source, context);
        }
        return tree;
      }
    };
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getVisitor(StockManagers managers) {
    return new Visitor(managers);
  }

  private static final class Visitor extends ClientVisitor {
    private final StockManagers managers;

    /** Whether the clients of the source that is being visited stay, with a manager that does. */
    private boolean clientsStay;

    Visitor(StockManagers managers) {
      super(StockManagers.LIBRARIES);
      this.managers = managers;
    }

    @Override
    public J visitCompilationUnit(J.CompilationUnit source, ExecutionContext context) {
      clientsStay =
          tooOld() == null
              && new JavaIsoVisitor<boolean[]>() {
                @Override
                public J.MethodInvocation visitMethodInvocation(
                    J.MethodInvocation call, boolean[] stay) {
                  stay[0] |= SET_MANAGER.matches(call) && stays(call);
                  return super.visitMethodInvocation(call, stay);
                }
              }.reduce(source, new boolean[1])[0];
      J visited = super.visitCompilationUnit(source, context);
      if (!managers.stay()) {
        maybeRemoveImport(BUILDER + ".create");
        doAfterVisit(new ChangeType(MANAGER, OUR_MANAGER, true).getVisitor());
        doAfterVisit(new ChangeType(BUILDER, OUR_MANAGER + "Builder", true).getVisitor());
      }
      return visited;
    }

    /** Whether the manager that is set here is none of ours, nor becomes one. */
    private boolean stays(J.MethodInvocation setManager) {
      JavaType.FullyQualified type =
          TypeUtils.asFullyQualified(setManager.getArguments().getFirst().getType());
      String name = type == null ? "" : type.getFullyQualifiedName();
      return switch (name) {
        case OUR_MANAGER -> false;
        case MANAGER, "org.apache.hc.client5.http.io.HttpClientConnectionManager" ->
            managers.stay();
        default -> true;
      };
    }

    @Override
    public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
      J.MethodInvocation visited = (J.MethodInvocation) super.visitMethodInvocation(call, context);
      noteObstacle(call);
      if (MINIMAL.matches(call) || CACHING.matches(call)) {
        noteUnlike(call.getSimpleName());
      }
      if (SET_MANAGER.matches(call) && stays(call)) {
        note("this client stays Apache's, with its connection manager.");
      }
      if (!clientsStay) {
        if (CUSTOM.matches(call) || CREATE.matches(call)) {
          return ours(visited, OUR_CUSTOM, "custom");
        }
        if (DEFAULT.matches(call)) {
          return ours(visited, OUR_DEFAULT, "createDefault");
        }
        if (SYSTEM.matches(call)) {
          return ours(visited, OUR_SYSTEM, "createSystem");
        }
      }
      if (managers.stay()) {
        return visited;
      }
      if (MANAGER_BUILDER.matches(call)) {
        return replace(visited, OUR_MANAGER_BUILDER, OUR_MANAGER);
      }
      if (StockManagers.SET_TLS.matches(call)) {
        return visited.withName(visited.getName().withSimpleName("setTlsStrategy"));
      }
      return visited;
    }

    private J ours(J.MethodInvocation call, JavaTemplate code, String name) {
      maybeRemoveImport(CLIENTS);
      maybeRemoveImport(CLIENTS + "." + name);
      maybeRemoveImport(CLIENT_BUILDER);
      return replace(call, code, OUR_CLIENTS);
    }

    @Override
    public J visitNewClass(J.NewClass made, ExecutionContext context) {
      J visited = super.visitNewClass(made, context);
      noteObstacle(made);
      TypeTree named = made.getClazz();
      return !managers.stay() && named != null && isOf(named.getType(), MANAGER)
          ? replace((J.NewClass) visited, NEW_MANAGER, OUR_MANAGER)
          : visited;
    }

    @Override
    public J visitClassDeclaration(J.ClassDeclaration declared, ExecutionContext context) {
      noteObstacle(declared);
      return super.visitClassDeclaration(declared, context);
    }

    @Override
    public J visitFieldAccess(J.FieldAccess field, ExecutionContext context) {
      noteObstacle(field);
      return super.visitFieldAccess(field, context);
    }

    @Override
    public J visitMemberReference(J.MemberReference reference, ExecutionContext context) {
      noteObstacle(reference);
      JavaType.Method method = reference.getMethodType();
      if (MINIMAL.matches(method) || CACHING.matches(method)) {
        noteUnlike(reference.getReference().getSimpleName());
      } else if (CUSTOM.matches(method)
          || CREATE.matches(method)
          || DEFAULT.matches(method)
          || SYSTEM.matches(method)) {
        noteReference("BlockingHttpClients");
      }
      return super.visitMemberReference(reference, context);
    }

    @Override
    public J visitIdentifier(J.Identifier identifier, ExecutionContext context) {
      noteObstacle(identifier);
      return super.visitIdentifier(identifier, context);
    }

    private void noteUnlike(String method) {
      note(
          method
              + " has no counterpart. For a builder of yours there is"
              + " BlockingHttpClients.prepare, with a BlockingConnectionManager.");
    }

    private void noteObstacle(J tree) {
      String obstacle = managers.obstacle(tree);
      if (obstacle != null) {
        note("connection managers stay Apache's: " + obstacle);
      }
    }
  }
}
