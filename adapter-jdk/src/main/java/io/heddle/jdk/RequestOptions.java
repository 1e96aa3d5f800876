package io.heddle.jdk;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The options of a request, {@code HttpOption} of JDK 26 and later: how to find out whether a
 * server speaks HTTP/3. This compiles with JDK 21, which has none, so it calls them by reflection.
 */
final class RequestOptions {

  private static final List<Option> ALL = all();

  /** An option, the method that reads it from a request, and that which sets it in a builder. */
  private record Option(Object its, Method get, Method set) {}

  private RequestOptions() {}

  private static List<Option> all() {
    List<Option> all = new ArrayList<>();
    try {
      Class<?> option = Class.forName("java.net.http.HttpOption");
      Method get = HttpRequest.class.getMethod("getOption", option);
      Method set = HttpRequest.Builder.class.getMethod("setOption", option, Object.class);
      for (Field each : option.getFields()) {
        if (option.isAssignableFrom(each.getType())) {
          all.add(new Option(each.get(null), get, set));
        }
      }
    } catch (ClassNotFoundException e) {
      return List.of(); // before JDK 26
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("HttpOption is not as in JDK 26", e);
    }
    return all;
  }

  /**
   * Gives a request the options of another.
   *
   * @return the same request where the other has none
   */
  static HttpRequest copy(HttpRequest from, HttpRequest to) {
    HttpRequest.Builder copy = null;
    for (Option option : ALL) {
      Optional<?> value = (Optional<?>) call(option.get, from, option.its);
      if (value != null && value.isPresent()) {
        copy = copy == null ? HttpRequest.newBuilder(to, (name, text) -> true) : copy;
        call(option.set, copy, option.its, value.get());
      }
    }
    return copy == null ? to : copy.build();
  }

  private static Object call(Method method, Object its, Object... arguments) {
    try {
      return method.invoke(its, arguments);
    } catch (InvocationTargetException e) { // by a request class of the user's
      if (e.getCause() instanceof Error wrong) {
        throw wrong;
      }
      throw e.getCause() instanceof RuntimeException wrong
          ? wrong
          : new IllegalArgumentException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new LinkageError("public methods of an exported package", e);
    }
  }
}
