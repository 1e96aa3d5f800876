package io.heddle.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;

/** A visitor of Java sources that can replace an expression, and leave a note at a statement. */
abstract class ClientVisitor extends JavaVisitor<ExecutionContext> {

  private static final String NOTES = ClientVisitor.class.getName();

  /** Java alone: our templates are. */
  @Override
  public boolean isAcceptable(SourceFile source, ExecutionContext context) {
    return source instanceof J.CompilationUnit;
  }

  /** Whether the source has to do with the type, or with the types of the pattern. */
  @SuppressWarnings("ReferenceEquality") // a visitor that finds gives back another tree
  static boolean uses(JavaSourceFile source, String type, ExecutionContext context) {
    return new UsesType<ExecutionContext>(type, true).visit(source, context) != source;
  }

  /** Whether the expression is of exactly this type. */
  static boolean isOf(@Nullable JavaType type, String name) {
    return TypeUtils.isOfClassType(type, name);
  }

  static boolean isDefault(J.NewClass made) {
    return made.getBody() == null && hasNoArguments(made.getArguments());
  }

  static boolean hasNoArguments(List<Expression> arguments) {
    return arguments.isEmpty() || arguments.getFirst() instanceof J.Empty;
  }

  /**
   * Code of ours.
   *
   * @param type the class of ours that it names
   * @param stubs the classes that it needs, as the user's class path has none of ours
   */
  static JavaTemplate code(String code, String type, String... stubs) {
    return JavaTemplate.builder(code)
        .imports(type)
        .javaParser(JavaParser.fromJavaVersion().dependsOn(stubs))
        .build();
  }

  /** Puts the code in the place of the expression that is being visited. */
  final J replace(Expression expression, JavaTemplate code, String ours, Object... parts) {
    maybeAddImport(ours);
    return code.apply(getCursor(), expression.getCoordinates().replace(), parts);
  }

  // ---- notes ----------------------------------------------------------------------------------

  /** Leaves a comment before the statement that is being visited, or that has what is. */
  final void note(String text) {
    Cursor cursor = getCursor();
    while (!isStatement(cursor)) {
      cursor = cursor.getParentTreeCursor();
    }
    cursor.<List<String>>computeMessageIfAbsent(NOTES, key -> new ArrayList<>()).add(text);
  }

  private static boolean isStatement(Cursor cursor) {
    Object around = cursor.getParentTreeCursor().getValue();
    return cursor.getValue() instanceof Statement
        && (around instanceof J.Block || around instanceof J.CompilationUnit);
  }

  @Override
  public @Nullable J postVisit(J tree, ExecutionContext context) {
    List<String> notes = getCursor().pollMessage(NOTES);
    J noted = tree;
    for (String each : notes == null ? List.<String>of() : notes) {
      noted = noted.withPrefix(noted(noted.getPrefix(), " Heddle: " + each));
    }
    return noted;
  }

  private static Space noted(Space prefix, String text) {
    for (Comment each : prefix.getComments()) {
      if (each instanceof TextComment comment && comment.getText().equals(text)) {
        return prefix;
      }
    }
    Comment note = new TextComment(false, text, "\n" + prefix.getIndent(), Markers.EMPTY);
    return prefix.withComments(ListUtils.concat(prefix.getComments(), note));
  }
}
