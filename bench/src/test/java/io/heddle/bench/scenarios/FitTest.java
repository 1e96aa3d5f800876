package io.heddle.bench.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Fake;
import io.heddle.bench.measure.Machine;
import org.junit.jupiter.api.Test;

/** Loads are scaled to what the machine has, and the reader is told why. */
class FitTest {

  private static final long GIBIBYTE = 1L << 30;
  private static final int MANY = 64;

  private static Machine machine(long descriptors, int ports, long threads, long available) {
    return new Machine(
        "some system", "some cpu", 2, 4 * available, available, descriptors, ports, threads, "JDK");
  }

  private static final Machine LARGE = machine(1_000_000, 60_000, 500_000, 500 * GIBIBYTE);

  private static Fit.Plan plan(Machine machine, Mode mode, Wire wire) {
    return new Fit(machine, 25).plan(new Fake(Library.JETTY, mode, wire), 41_000, MANY);
  }

  @Test
  void aLargeMachineTakesAll() {
    for (Mode mode : Mode.values()) {
      for (Wire wire : Wire.values()) {
        assertEquals(new Fit.Plan(41_000, ""), plan(LARGE, mode, wire));
      }
    }
  }

  @Test
  void descriptorsLimitHttp1Alone() {
    Machine machine = machine(20_000, 28_000, 500_000, 500 * GIBIBYTE);

    Fit.Plan http1 = plan(machine, Mode.HEDDLE, Wire.HTTP_1);
    assertEquals(19_000, http1.calls());
    assertEquals(
        "19,000 instead of 41,000: there are 20,000 file descriptors for a process", http1.note());
    assertEquals(new Fit.Plan(41_000, ""), plan(machine, Mode.HEDDLE, Wire.HTTP_2));
  }

  @Test
  void portsCountForEachAddress() {
    Machine machine = machine(1_000_000, 28_000, 500_000, 500 * GIBIBYTE);
    Fit fit = new Fit(machine, 25);
    Contestant contestant = new Fake(Library.JETTY, Mode.HEDDLE, Wire.HTTP_1);

    assertEquals(21_000, fit.plan(contestant, 41_000, 1).calls());
    assertEquals(41_000, fit.plan(contestant, 41_000, 2).calls());
  }

  @Test
  void threadsLimitPlatformThreadsAlone() {
    Machine machine = machine(1_000_000, 60_000, 32_000, 500 * GIBIBYTE);

    assertEquals(24_000, plan(machine, Mode.STOCK_PLATFORM, Wire.HTTP_2).calls());
    assertEquals(41_000, plan(machine, Mode.STOCK_VIRTUAL, Wire.HTTP_2).calls());
  }

  @Test
  void okHttpTakesAThreadForEachCall() {
    Fit onOld = new Fit(LARGE, 21);
    Fit onNew = new Fit(LARGE, 25);
    Contestant ours = new Fake(Library.OKHTTP, Mode.HEDDLE, Wire.HTTP_2);
    Contestant enqueue = new Fake(Library.OKHTTP, Mode.ASYNC, Wire.HTTP_2);

    assertTrue(onOld.takesThreadPerCall(ours));
    assertFalse(onNew.takesThreadPerCall(ours));
    assertTrue(onNew.takesThreadPerCall(enqueue));
  }

  @Test
  void memoryLimitsAll() {
    Fit.Plan plan = plan(machine(1_000_000, 60_000, 500_000, GIBIBYTE), Mode.HEDDLE, Wire.HTTP_1);

    assertTrue(plan.calls() < 10_000, plan::note);
    assertTrue(plan.note().contains("1,024 MiB of memory"), plan::note);
  }

  @Test
  void theTightestLimitIsTold() {
    Fit.Plan plan =
        plan(machine(20_000, 28_000, 1_000, GIBIBYTE), Mode.STOCK_PLATFORM, Wire.HTTP_1);

    assertEquals(750, plan.calls());
    assertEquals(
        "750 instead of 41,000: there are 1,000 further threads on this machine", plan.note());
  }

  @Test
  void tooLittleIsRefused() {
    Fit.Plan plan = plan(machine(750, 28_000, 500_000, GIBIBYTE), Mode.HEDDLE, Wire.HTTP_1);

    assertTrue(plan.isRefused());
    assertEquals("refused: there are only 750 file descriptors for a process", plan.note());
  }

  @Test
  void aFrontEndTakesTwoDescriptorsOverHttp1() {
    Fit fit = new Fit(machine(20_000, 28_000, 500_000, 500 * GIBIBYTE), 25);

    assertEquals(
        9_600, fit.planFront(new Fake(Library.APACHE, Mode.HEDDLE, Wire.HTTP_1), 20_000).calls());
    assertEquals(
        19_000, fit.planFront(new Fake(Library.APACHE, Mode.HEDDLE, Wire.HTTP_2), 20_000).calls());
  }

  /** It is read from the system as it is, whatever this one is. */
  @Test
  void thisMachineHasSomething() {
    Machine here = Machine.here();

    assertTrue(here.descriptors() > 0, here::toString);
    assertTrue(here.ports() > 1_000, here::toString);
    assertTrue(here.threads() > 0, here::toString);
    assertTrue(here.availableBytes() > 0, here::toString);
  }
}
