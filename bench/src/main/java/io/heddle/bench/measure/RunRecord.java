package io.heddle.bench.measure;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.scenarios.LoadScenario;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * All that one run of the bench found: what the report is made of.
 *
 * @param command what was run
 * @param started when, as ISO 8601 has it
 * @param seconds how long it took
 * @param size how much was measured, for a reader
 * @param isInterrupted whether it ended before its end
 * @param versions of the libraries
 * @param jvms what JVMs ran with, by what they were for; empty in older files
 * @param notes what a reader should know of the whole
 * @param syscalls empty in older files
 */
public record RunRecord(
    String command,
    String started,
    double seconds,
    String size,
    boolean isInterrupted,
    Machine machine,
    Map<String, String> versions,
    Map<String, String> jvms,
    List<String> notes,
    List<Cell> cells,
    List<Syscalls> syscalls,
    List<Timeline> timelines) {

  public RunRecord {
    jvms = Objects.requireNonNullElse(jvms, Map.of()); // as in older files
    syscalls = Objects.requireNonNullElse(syscalls, List.of());
  }

  /** What follows from the cells: in the file for those who read it. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  public List<Ratio> ratios() {
    return Ratio.all(cells);
  }

  /** The cell of the client in a scenario. */
  public Optional<Cell> cell(
      String scenario, String variant, Library library, Mode mode, Wire wire) {
    return cells.stream()
        .filter(each -> each.scenario().equals(scenario))
        .filter(each -> each.variant().equals(variant))
        .filter(each -> each.library() == library && each.mode() == mode && each.wire() == wire)
        .findFirst();
  }

  public Optional<Cell> cell(LoadScenario scenario, Library library, Mode mode, Wire wire) {
    return cell(scenario.key(), "", library, mode, wire);
  }

  public List<Cell> cells(String scenario) {
    return cells.stream().filter(each -> each.scenario().equals(scenario)).toList();
  }
}
