package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.CallEvent;
import io.heddle.pinning.PinningRecorder;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;

/** To write the first event of a call loads classes, which may pin its caller. */
@SuppressWarnings("try") // a recorder that is open is all they need
class PinningBesideCallsTest {

  @Test
  void whoRecordsPinsDoesNotRecordCalls() throws Exception {
    try (PinningRecorder recorder = PinningRecorder.start()) {
      assertFalse(CallEvent.begin("test").isOn());
    }
  }

  @Test
  void whoRecordsBothHasBoth() throws Exception {
    try (Recording recording = new Recording();
        PinningRecorder recorder = PinningRecorder.start()) {
      recording.enable("io.heddle.Call");
      recording.start();
      assertTrue(CallEvent.begin("test").isOn());
    }
  }
}
