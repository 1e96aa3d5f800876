package io.heddle.rewrite;

import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Takes our connector where code names one of Jersey's; code that names none needs no change. The
 * settings of Jersey's Apache connector mean the same with ours, those of others do not.
 */
public final class UseHeddleConnector extends Recipe {

  private static final String PROVIDER = "org.glassfish.jersey.client.spi.ConnectorProvider";
  private static final String APACHE =
      "org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider";
  private static final String OURS = "io.heddle.jersey.HeddleConnectorProvider";

  private static final JavaTemplate NEW_PROVIDER =
      ClientVisitor.code(
          "new HeddleConnectorProvider()",
          OURS,
          "package org.glassfish.jersey.client.spi; public interface ConnectorProvider {}",
          "package io.heddle.jersey; public class HeddleConnectorProvider"
              + " implements org.glassfish.jersey.client.spi.ConnectorProvider {}");

  @Override
  public String getDisplayName() {
    return "Take Heddle's connector for Jersey";
  }

  @Override
  public String getDescription() {
    return "Replaces `new Apache5ConnectorProvider()` by `new HeddleConnectorProvider()`.";
  }

  @Override
  public TreeVisitor<?, ExecutionContext> getVisitor() {
    return new ClientVisitor(Library.JERSEY, Library.HTTPCLIENT5, Library.HTTPCORE5) {

      @Override
      public J visitNewClass(J.NewClass made, ExecutionContext context) {
        J visited = super.visitNewClass(made, context);
        TypeTree named = made.getClazz();
        JavaType type = named == null ? null : named.getType();
        if (isOf(type, APACHE) && isDefault(made)) {
          if (!isOf(Place.of(getCursor()).wanted(), PROVIDER)) {
            note("stays Jersey's, as more than a ConnectorProvider may be wanted of it.");
            return visited;
          }
          maybeRemoveImport(APACHE);
          note("cookies are not kept unless Apache5ClientProperties.DISABLE_COOKIES is false.");
          return replace((J.NewClass) visited, NEW_PROVIDER, OURS);
        }
        JavaType.FullyQualified of = TypeUtils.asFullyQualified(type);
        if (of != null
            && of.getPackageName().startsWith("org.glassfish.jersey.")
            && TypeUtils.isAssignableTo(PROVIDER, of)) {
          note(
              "new HeddleConnectorProvider() goes here, but has no counterpart to the settings of "
                  + of.getClassName()
                  + ".");
        }
        return visited;
      }

      @Override
      public J visitMemberReference(J.MemberReference reference, ExecutionContext context) {
        if (isConstructor(reference.getMethodType(), APACHE)) {
          noteReference("new HeddleConnectorProvider()");
        }
        return super.visitMemberReference(reference, context);
      }
    };
  }
}
