import ArgumentParser
import Audio
import Measurement
import MusicalTime
import Realtime

/// The subcommand `tutti doctor`.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check this machine for what disturbs timing and sound, with the remedies.",
    discussion: """
      Each check has a state, the reason why it matters, and the commands that help. The commands are for Debian and \
      Ubuntu. The program changes nothing.

      STATES
        ok         nothing to do
        note       something works less well, or could disturb
        FAULT      timing or sound will suffer: the exit status is 1
        not known  the machine does not tell

      The last check is a timing test. A thread with the priority of a peer's clock wakes up every 2 ms and measures \
      how late it is: p50 is the median, p99 the 99th percentile, in microseconds (us). More than 1000 us at p99 is a \
      FAULT, and a maximum of more than 5000 us is a note. Start the other programs that run on stage before the test.

      If a peer runs on this machine, it uses the UDP ports, and it may use the sound card. Then stop it first, or \
      give --port other ports.

      EXAMPLES
        tutti doctor
        tutti doctor --seconds 60
        tutti doctor --soundfont FluidR3_GM.sf2 --port 5006
        tutti doctor --json
      """)

  @Option(help: ArgumentHelp("Run the timing test for S seconds, 0...3600. 0: no timing test.", valueName: "S"))
  var seconds = 5.0

  @Option(help: ArgumentHelp("Check the UDP ports N and N+1, as `tutti peer` uses them.", valueName: "N"))
  var port: UInt16 = 5004

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Check this General MIDI SoundFont.", valueName: "FILE"))
  var soundFont = SoundModule.defaultSoundFont

  @Flag(help: "Print one JSON object instead of the text.")
  var json = false

  func validate() throws {
    try check("--seconds", seconds, in: 0...3600, "0 to 3600")
    guard port < .max else {
      throw ValidationError("--port \(port): the data port would be 65536; give at most 65534")
    }
  }

  func run() throws {
    // Before the first thread starts, as in a peer.
    MemoryLock.disableHugePages()
    let terminal = Terminal()
    terminal.showStatus("reading the state of this machine")
    var machine = Machine(port: port, soundFont: soundFont)
    if seconds > 0 {
      machine.wakeUps = WakeUpTest.run(for: Nanoseconds(Int64(seconds * 1e9))) {
        terminal.showStatus("timing test: \(Int($0.seconds)) of \(Int(seconds.rounded(.up))) s")
      }
    }
    terminal.end()
    let checks = machine.checks
    if json {
      try printJSON(Self.json(checks, machine.wakeUps))
    } else {
      for line in checks.flatMap(\.lines) { print(line) }
      print("\n" + checks.summary)
    }
    try checkStandardOutput()
    guard !checks.haveFault else { throw ExitCode.faulty }
  }

  /// The JSON form. The member `timing` is missing without a timing test. Its times are in microseconds.
  private static func json(_ checks: [Check], _ wakeUps: WakeUpTest?) -> JSONObject {
    [
      "checks": checks.map(\.json), "fault": checks.haveFault,
      "timing": wakeUps.map { test -> JSONObject in
        ["scheduler": "\(test.policy)", "period_us": WakeUpTest.period.microseconds, "lateness": test.lateness]
      },
    ]
  }
}
