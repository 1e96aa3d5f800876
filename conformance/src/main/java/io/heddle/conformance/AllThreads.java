package io.heddle.conformance;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All threads of this JVM, virtual ones included, which {@link Thread#getAllStackTraces()} leaves
 * out.
 *
 * <p>They come from the JDK's own list of them, which it exports with an option only. The JVM's
 * dump of threads has them, too, but walks virtual threads as they are mounted: JDK 25.0.3 crashes
 * in it within seconds, where threads start and park (JDK-8364343).
 */
final class AllThreads {

  private static final String OPTION = "--add-exports java.base/jdk.internal.vm=ALL-UNNAMED";

  private AllThreads() {}

  /**
   * The threads that have started and not ended.
   *
   * @throws IllegalStateException if the JVM was started without the option
   */
  static List<Thread> list() {
    try {
      Object root =
          Class.forName("jdk.internal.vm.ThreadContainers").getMethod("root").invoke(null);
      return in(root).toList();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "the kit cannot see virtual threads: start the JVM that runs it with " + OPTION, e);
    }
  }

  /** What {@link #describe} says of each. */
  static String dump() {
    return list().stream().map(AllThreads::describe).collect(Collectors.joining("\n\n"));
  }

  /** Its number, name, kind and state, and where it stands. */
  static String describe(Thread thread) {
    String head =
        "#%d \"%s\"%s %s"
            .formatted(
                thread.threadId(),
                thread.getName(),
                thread.isVirtual() ? " virtual" : "",
                thread.getState());
    return Arrays.stream(thread.getStackTrace())
        .map(frame -> "\n    at " + frame)
        .collect(Collectors.joining("", head, ""));
  }

  private static Stream<Thread> in(Object container) throws ReflectiveOperationException {
    Stream<Thread> all = ask(container, "threads").map(Thread.class::cast);
    for (Object each : ask(container, "children").toList()) {
      all = Stream.concat(all, in(each));
    }
    return all;
  }

  private static Stream<?> ask(Object container, String what) throws ReflectiveOperationException {
    Class<?> type = Class.forName("jdk.internal.vm.ThreadContainer");
    return (Stream<?>) type.getMethod(what).invoke(container);
  }
}
