package io.heddle.conformance;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What a library throws for each kind of failure: the table behind {@link ClientDriver#isExpected}.
 * A kind that has no line is never expected.
 */
public final class ExpectedFailures {

  private final Map<Failure, Predicate<Throwable>> table = new EnumMap<>(Failure.class);

  /** Adds a line. */
  public ExpectedFailures with(Failure kind, Predicate<Throwable> test) {
    if (table.put(kind, test) != null) {
      throw new IllegalArgumentException("two lines for " + kind);
    }
    return this;
  }

  /** Whether the library throws this for such a failure. */
  public boolean isExpected(Failure kind, Throwable thrown) {
    Predicate<Throwable> test = table.get(kind);
    return test != null && test.test(thrown);
  }

  /** An exception of just one of these classes, none of their subclasses. */
  @SafeVarargs
  public static Predicate<Throwable> is(Class<? extends Throwable>... classes) {
    return thrown -> {
      for (Class<? extends Throwable> each : classes) {
        if (thrown.getClass() == each) {
          return true;
        }
      }
      return false;
    };
  }

  /** An exception of just this class, whose message begins so. */
  public static Predicate<Throwable> is(Class<? extends Throwable> type, String message) {
    return is(type).and(thrown -> String.valueOf(thrown.getMessage()).startsWith(message));
  }

  /** An exception of this class or a subclass. */
  public static Predicate<Throwable> any(Class<? extends Throwable> supertype) {
    return supertype::isInstance;
  }
}
