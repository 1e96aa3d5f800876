package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** CO: the context of the caller, which a thread carries, is its own. */
interface ContextRules {

  @Rule("CO-01")
  default void userCodeStaysOnTheCaller(Kit kit) throws Exception {
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      AtomicReference<@Nullable Thread> caller = new AtomicReference<>();
      Map<String, String> elsewhere = new ConcurrentHashMap<>();
      Set<String> seen = ConcurrentHashMap.newKeySet();
      UserCode code =
          new UserCode(
              kit,
              word -> {
                seen.add(word);
                if (!Thread.currentThread().equals(caller.get())) {
                  elsewhere.put(word, Thread.currentThread().toString());
                }
              });
      Client client = kit.open(code.settings());
      Caller<@Nullable Void> running =
          kit.call(
              kind,
              () -> {
                caller.set(Thread.currentThread());
                code.run(client, "loom.heddle.test");
                return null;
              });
      running.result(Bounds.LONG);
      Set<String> meant = new TreeSet<>(kit.driver().onCallersThread());
      assertTrue(seen.containsAll(meant), "ran: " + seen + ", of " + meant);
      elsewhere.keySet().retainAll(meant);
      assertEquals(Map.of(), new TreeMap<>(elsewhere), "not on the caller's thread");
    }
  }

  @Rule("CO-02")
  default void nothingIsInheritedFromAnotherCaller(Kit kit) throws Exception {
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      InheritableThreadLocal<String> owner = new InheritableThreadLocal<>();
      ClassLoader loader = kit.closing(new URLClassLoader(new URL[0]));
      AtomicBoolean firstIsOver = new AtomicBoolean();
      Set<String> inherited = ConcurrentHashMap.newKeySet();
      UserCode code =
          new UserCode(
              kit,
              word -> {
                if (firstIsOver.get()) {
                  if (owner.get() != null) {
                    inherited.add(word + " with an InheritableThreadLocal");
                  }
                  if (loader.equals(Thread.currentThread().getContextClassLoader())) {
                    inherited.add(word + " with a context class loader");
                  }
                }
              });
      Caller<Client> first =
          kit.call(
              kind,
              () -> {
                owner.set("first");
                Thread.currentThread().setContextClassLoader(loader);
                Client client = kit.open(code.settings());
                code.run(client, "first.heddle.test");
                return client;
              });
      Client client = first.result(Bounds.LONG);
      firstIsOver.set(true);
      Caller<@Nullable Void> second =
          kit.call(
              () -> {
                code.run(client, "second.heddle.test");
                return null;
              });
      second.result(Bounds.LONG);
      assertEquals(Set.of(), inherited, "of one caller, in code run for another");
    }
  }
}
