package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import okio.Timeout;
import org.junit.jupiter.api.Test;

/** What a read may take, by okio's timeout, which others change meanwhile. */
class ReadDeadlineTest {

  @Test
  void isThatOfTheTimeout() {
    assertTrue(BodyPump.deadline(new Timeout(), 0).isNone());
    assertFalse(BodyPump.deadline(new Timeout().deadline(1, TimeUnit.HOURS), 0).isNone());
    assertTrue(BodyPump.deadline(new Timeout().deadlineNanoTime(System.nanoTime()), 0).isExpired());
  }

  /** As OkHttp does in the close of a body that it has read some of. */
  @Test
  void isNoneIfItIsClearedByAnother() {
    Timeout cleared =
        new Timeout() {
          @Override
          public boolean hasDeadline() {
            boolean had = super.hasDeadline();
            clearDeadline();
            return had;
          }
        };
    assertTrue(BodyPump.deadline(cleared.deadline(1, TimeUnit.HOURS), 0).isNone());
  }
}
