package io.heddle.core;

import io.heddle.core.CallEvent.Step;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The events as JDK Flight Recorder has them. Only a JVM that has it loads these classes. */
final class JfrEvents {

  private JfrEvents() {}

  /** JFR rewrites isEnabled; what is made here does not leave it, and so is not allocated. */
  static boolean wantCalls() {
    return new Call().isEnabled() || new Wait().isEnabled();
  }

  static void late(Object result) {
    Late event = new Late();
    if (event.shouldCommit()) {
      event.result = result instanceof InFlightLimit ? "place" : result.getClass().getName();
      event.commit();
    }
  }

  @Name("io.heddle.Call")
  @Label("HTTP Call")
  @Category("Heddle")
  @Description("A call, from its start to the end of its response")
  @StackTrace(false)
  static final class Call extends Event {
    @Label("Library")
    @Nullable String library;

    @Label("Method")
    @Nullable String method;

    @Label("Authority")
    @Description("Host and port, and never more of the URI")
    @Nullable String authority;

    @Label("Status")
    @Description("0 if no head came")
    int status;

    @Label("Protocol")
    @Nullable String protocol;

    @Label("Place")
    @Description("Time waited for a place in the pool, or for a stream")
    @Timespan
    long placeTime;

    @Label("Name")
    @Description("Time waited for the name look-up")
    @Timespan
    long nameTime;

    @Label("Connection")
    @Description("Time waited for a connection to be made")
    @Timespan
    long connectionTime;

    @Label("Head")
    @Description("Time to send the request, and to get the head of the response")
    @Timespan
    long headTime;

    @Label("Body")
    @Description("Time from the head to the end of the body, the caller's own included")
    @Timespan
    long bodyTime;

    @Label("Ended")
    @Description("completed, failed, interrupted, timeout, cancelled or closed")
    @Nullable String ended;

    @Label("Failure")
    @Description("Class of the failure that the caller got")
    @Nullable String failure;

    void spent(Step step, long nanos) {
      switch (step) {
        case PLACE -> placeTime = sum(placeTime, nanos);
        case NAME -> nameTime = sum(nameTime, nanos);
        case CONNECTION -> connectionTime = sum(connectionTime, nanos);
        case HEAD -> headTime = sum(headTime, nanos);
        case BODY -> bodyTime = sum(bodyTime, nanos);
      }
    }

    /** JFR prints this as N/A. */
    void unknown(Step step) {
      spent(step, Long.MIN_VALUE);
    }

    private static long sum(long before, long more) {
      return before < 0 ? before : more < 0 ? more : before + more;
    }
  }

  @Name("io.heddle.PlaceWait")
  @Label("Wait for a Place")
  @Category("Heddle")
  @Description("A call waited for a place in the pool, or for a stream")
  @Threshold("100 ms")
  @StackTrace(false)
  static final class Wait extends Event {
    @Label("Library")
    @Nullable String library;

    @Label("Authority")
    @Nullable String authority;
  }

  @Name("io.heddle.LateResult")
  @Label("Late Result")
  @Category("Heddle")
  @Description("What a library brought after its caller had gone, and which was given back")
  @StackTrace(false)
  static final class Late extends Event {
    @Label("Result")
    @Description("Class of what came; \"place\" for a turn at a limit")
    @Nullable String result;
  }
}
