package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** IS: what the user code of one call throws ends that call, and no other. */
interface IsolationRules {

  /** How much of a body is written before it is torn: enough that some is sent. */
  int UPLOAD = 1024 * 1024;

  @Rule("IS-01")
  default void hookThatThrowsException(Kit kit) throws Exception {
    assertHooksEndTheirCallOnly(kit, () -> new IllegalStateException("torn"));
  }

  @Rule("IS-02")
  default void hookThatThrowsError(Kit kit) throws Exception {
    assertHooksEndTheirCallOnly(kit, () -> new LinkageError("torn"));
  }

  @Rule("IS-03")
  default void bodyThatThrowsException(Kit kit) throws Exception {
    assertBodiesEndTheirCallOnly(kit, () -> new IllegalStateException("torn"));
  }

  @Rule("IS-04")
  default void bodyThatThrowsError(Kit kit) throws Exception {
    assertBodiesEndTheirCallOnly(kit, () -> new LinkageError("torn"));
  }

  private static void assertHooksEndTheirCallOnly(Kit kit, Supplier<Throwable> kind)
      throws Exception {
    Set<String> hooks = ConcurrentHashMap.newKeySet();
    AtomicReference<@Nullable String> torn = new AtomicReference<>();
    AtomicReference<Throwable> thrown = new AtomicReference<>(new Error());
    UserCode code =
        new UserCode(
            kit,
            word -> {
              hooks.add(word);
              if (word.equals(torn.get())) {
                Torn.raise(Kit.present(thrown.get(), "thrown"));
              }
            });
    Siblings siblings = new Siblings(kit, code.settings().maxConnections(20), 4);
    code.redirectAndChallenge(siblings.client, "whole.heddle.test");
    int hosts = 0;
    for (String each : new TreeSet<>(hooks)) {
      Throwable failure = kind.get();
      thrown.set(failure);
      torn.set(each);
      String host = "torn" + hosts++ + ".heddle.test"; // to be looked up
      Caller<@Nullable Void> caller =
          kit.call(
              () -> {
                code.redirectAndChallenge(siblings.client, host);
                return null;
              });
      String what = "a call ends whose " + each + " throws " + failure;
      Bounds.await(Bounds.LONG, what, caller::isDone);
      torn.set(null);
      if (caller.hasFailed()) { // what a listener throws may be of no account
        Torn.assertTold(failure, caller.failure(Bounds.PROMPT));
      }
      siblings.assertStanding();
    }
    siblings.assertUnharmed();
    kit.assertWorks(siblings.client);
  }

  private static void assertBodiesEndTheirCallOnly(Kit kit, Supplier<Throwable> kind)
      throws Exception {
    Siblings siblings = new Siblings(kit, kit.settings(), 4);
    Throwable ofWriter = kind.get();
    URI toWriter = kit.uri(Script.ok());
    BodyWriter writer =
        out -> {
          Contents.writer(UPLOAD).writeTo(out);
          kit.seen(toWriter);
          Torn.raise(ofWriter);
        };
    assertEnds(kit, siblings, toWriter, new Body.Writer(writer), ofWriter);
    Throwable ofStream = kind.get();
    URI toStream = kit.uri(Script.ok());
    InputStream stream =
        new FilterInputStream(Contents.stream(UPLOAD)) {
          @Override
          public int read(byte[] b, int off, int len) throws IOException {
            int n = super.read(b, off, len);
            if (n < 0) {
              kit.seen(toStream);
              Torn.raise(ofStream);
            }
            return n;
          }
        };
    assertEnds(kit, siblings, toStream, new Body.Stream(stream, -1), ofStream);
    siblings.assertUnharmed();
    kit.assertWorks(siblings.client);
  }

  private static void assertEnds(Kit kit, Siblings siblings, URI uri, Body body, Throwable thrown) {
    Caller<Integer> caller =
        kit.call(() -> kit.execute(siblings.client, Call.post(uri, body)).status());
    Torn.assertTold(thrown, caller.failure(Bounds.LONG));
    kit.seen(uri).assertCutShort();
    siblings.assertStanding();
  }

  /** What user code throws. */
  final class Torn {
    private Torn() {}

    /** Throws it as it is, though it is not declared. */
    static void raise(Throwable thrown) {
      if (thrown instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      throw (Error) thrown;
    }

    /** It is in the failure, as itself or as a cause. */
    static void assertTold(Throwable thrown, Throwable failure) {
      assertTrue(contains(failure, thrown), () -> "what was thrown is not in " + failure);
    }

    @SuppressWarnings("ReferenceEquality") // the very one
    private static boolean contains(@Nullable Throwable failure, Throwable thrown) {
      return failure != null
          && (failure == thrown
              || contains(failure.getCause(), thrown)
              || Arrays.stream(failure.getSuppressed()).anyMatch(each -> contains(each, thrown)));
    }
  }
}
