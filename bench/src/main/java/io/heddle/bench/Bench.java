package io.heddle.bench;

import io.heddle.bench.jmh.ShortJmh;
import io.heddle.bench.pinning.PinningCommand;
import io.heddle.bench.servers.ServersCommand;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The command line of the bench. Without a command it does the main job. */
@Command(
    name = "bench",
    subcommands = {
      RunCommand.class,
      ReportCommand.class,
      PageCommand.class,
      PinningCommand.class,
      ServersCommand.class
    },
    mixinStandardHelpOptions = true)
public final class Bench {

  private static List<String> arguments = List.of();

  private Bench() {}

  /** What stands behind the command on the command line. */
  static List<String> arguments() {
    return arguments;
  }

  /**
   * Ends with the exit code of the command: 0 for success, 1 for a verdict that says no, 2 for
   * wrong options.
   *
   * @param args a command and its options; {@code run} if there is no command
   */
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true"); // charts are drawn without a screen
    boolean isCommand =
        args.length > 0
            && (!args[0].startsWith("-") || args[0].equals("--help") || args[0].equals("-h"));
    String[] command = args;
    if (!isCommand) {
      command = new String[args.length + 1];
      command[0] = "run";
      System.arraycopy(args, 0, command, 1, args.length);
    }
    arguments = List.of(command).subList(1, command.length);
    if (command[0].equals("jmh")) {
      jmh(Arrays.copyOfRange(command, 1, command.length));
      return;
    }
    if (command[0].equals("java-home")) { // for bench/run
      System.out.println(System.getProperty("java.home"));
      return;
    }
    System.exit(
        new CommandLine(new Bench())
            .setParameterExceptionHandler(Bench::explain)
            .setExecutionExceptionHandler(Bench::report)
            .execute(command));
  }

  private static void jmh(String[] args) {
    try {
      if (args.length == 0) {
        ShortJmh.run();
      } else {
        org.openjdk.jmh.Main.main(args);
      }
    } catch (Exception e) {
      throw new IllegalStateException("JMH failed", e);
    }
  }

  /** One line, and no usage text after it. */
  private static int explain(ParameterException e, String[] args) {
    PrintWriter err = e.getCommandLine().getErr();
    err.println(e.getMessage() + " (see --help)");
    return e.getCommandLine().getCommandSpec().exitCodeOnInvalidInput();
  }

  private static int report(Exception e, CommandLine command, CommandLine.ParseResult result) {
    command.getErr().println("the bench failed: " + e);
    e.printStackTrace(command.getErr());
    return command.getCommandSpec().exitCodeOnExecutionException();
  }
}
