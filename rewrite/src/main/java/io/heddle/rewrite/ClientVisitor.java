package io.heddle.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.ShortenFullyQualifiedTypeReferences;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JRightPadded;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;

/** A visitor of Java sources that can replace an expression, and leave a note at a statement. */
abstract class ClientVisitor extends JavaVisitor<ExecutionContext> {

  private static final String NOTES = ClientVisitor.class.getName();
  private static final String HEDDLE = " Heddle: ";

  private final List<Library> libraries;

  /** With an older release of one of the libraries, a source stays as it is, with a note. */
  ClientVisitor(Library... libraries) {
    this.libraries = List.of(libraries);
  }

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

  static boolean isConstructor(JavaType.@Nullable Method method, String type) {
    return method != null && method.isConstructor() && isOf(method.getDeclaringType(), type);
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

  /** What to say if a library of the source that is being visited is too old, or null. */
  final @Nullable String tooOld() {
    return tooOld(libraries);
  }

  private @Nullable String tooOld(List<Library> any) {
    return Library.tooOld(getCursor().firstEnclosingOrThrow(JavaSourceFile.class), any);
  }

  /** Puts the code in the place of the expression that is being visited. */
  final J replace(Expression expression, JavaTemplate code, String ours, Object... parts) {
    String tooOld = tooOld();
    if (tooOld != null) {
      note(tooOld);
      return expression;
    }
    maybeAddImport(ours);
    return code.apply(getCursor(), expression.getCoordinates().replace(), parts);
  }

  /** Puts the code there, whose class extends that of the expression, as one of that class. */
  final J replaceAsIs(Expression expression, JavaTemplate code, String ours, Object... parts) {
    J replaced = replace(expression, code, ours, parts);
    JavaType.FullyQualified theirs = TypeUtils.asFullyQualified(expression.getType());
    if (theirs == null || tooOld() != null || !Place.of(getCursor()).infers()) {
      return replaced;
    }
    J.FieldAccess named = TypeTree.build(theirs.getFullyQualifiedName());
    J.ControlParentheses<TypeTree> type =
        new J.ControlParentheses<>(
            Tree.randomId(),
            Space.EMPTY,
            Markers.EMPTY,
            JRightPadded.build(named.withName(named.getName().withType(theirs)).withType(theirs)));
    doAfterVisit(ShortenFullyQualifiedTypeReferences.modifyOnly(type));
    return new J.TypeCast(
        Tree.randomId(),
        replaced.getPrefix(),
        Markers.EMPTY,
        type,
        replaced.withPrefix(Space.SINGLE_SPACE));
  }

  // ---- notes ----------------------------------------------------------------------------------

  /**
   * Leaves a comment before the statement that is being visited, or that has what is. Where a
   * library is too old, the comment says that and nothing else.
   */
  final void note(String text) {
    Cursor cursor = getCursor();
    while (!isStatement(cursor)) {
      cursor = cursor.getParentTreeCursor();
    }
    String tooOld = tooOld();
    cursor
        .<List<String>>computeMessageIfAbsent(NOTES, key -> new ArrayList<>())
        .add(HEDDLE + (tooOld == null ? text : tooOld));
  }

  /** Leaves a comment at a method reference: what it becomes depends on what it is taken for. */
  final void noteReference(String ours) {
    note("a method reference stays as it is; a lambda can use " + ours + ".");
  }

  private static boolean isStatement(Cursor cursor) {
    Object around = cursor.getParentTreeCursor().getValue();
    return cursor.getValue() instanceof J.EnumValue
        || (cursor.getValue() instanceof Statement
            && !(cursor.getValue() instanceof J.EnumValueSet)
            && (around instanceof J.Block || around instanceof J.CompilationUnit));
  }

  @Override
  public @Nullable J postVisit(J tree, ExecutionContext context) {
    List<String> notes = getCursor().pollMessage(NOTES);
    Space prefix = tree.getPrefix();
    if (!prefix.getComments().isEmpty()) {
      prefix = prefix.withComments(ListUtils.map(prefix.getComments(), this::withoutOutdated));
    }
    for (String each : notes == null ? List.<String>of() : notes) {
      // What is before the first thing of a file may count as the file's.
      Space before =
          prefix.isEmpty() && getCursor().getParentTreeCursor().getValue() instanceof J file
              ? file.getPrefix()
              : prefix;
      prefix = says(before, each) ? prefix : noted(prefix, each);
    }
    return tree.withPrefix(prefix);
  }

  /** A library that was too old may have been upgraded. */
  private @Nullable Comment withoutOutdated(Comment comment) {
    if (comment instanceof TextComment of) {
      for (Library each : libraries) {
        if (of.getText().startsWith(HEDDLE + "needs " + each.needed() + " or later")
            && !of.getText().equals(HEDDLE + tooOld(List.of(each)))) {
          return null;
        }
      }
    }
    return comment;
  }

  private static boolean says(Space prefix, String text) {
    return prefix.getComments().stream()
        .anyMatch(each -> each instanceof TextComment comment && comment.getText().equals(text));
  }

  private static Space noted(Space prefix, String text) {
    Comment note = new TextComment(false, text, "\n" + prefix.getIndent(), Markers.EMPTY);
    return prefix.withComments(ListUtils.concat(prefix.getComments(), note));
  }
}
