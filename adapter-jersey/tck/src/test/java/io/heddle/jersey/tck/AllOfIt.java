package io.heddle.jersey.tck;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestWatcher;

/** Fails a run that leaves out tests, or has more of them: the pom says how many there are. */
public final class AllOfIt implements BeforeAllCallback, BeforeEachCallback, TestWatcher {

  private final AtomicInteger classes = new AtomicInteger();
  private final AtomicInteger run = new AtomicInteger();
  private final AtomicInteger disabled = new AtomicInteger();

  /** JUnit makes one of these for all classes. */
  public AllOfIt() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    classes.incrementAndGet();
    context
        .getRoot()
        .getStore(Namespace.create(AllOfIt.class))
        .computeIfAbsent("at the end", any -> (AutoCloseable) this::check);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    run.incrementAndGet();
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    disabled.incrementAndGet();
  }

  private void check() {
    String expected = System.getProperty("tck.expected");
    String seen = run + " run, " + disabled + " disabled, in " + classes + " classes";
    if (!seen.equals(expected) && !"any".equals(expected)) {
      throw new AssertionError("expected of the TCK: " + expected + "; seen: " + seen);
    }
  }
}
