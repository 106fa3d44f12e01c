import Foundation
import Testing
import Transports
import _TestSupport
import _TestTraits

/// A wrong command line with the expected exit status and error message.
struct BadInput: CustomTestStringConvertible, Sendable {
  var arguments: [String]
  /// The exit status as in sysexits.h: 64 for a wrong command line, 65 for a file that cannot be parsed, 69 for a file, host,
  /// device or port that cannot be used.
  var status: Int32
  /// Texts that standard error must contain.
  var messages: [String]
  var testDescription: String { arguments.joined(separator: " ") }

  init(_ arguments: String, _ status: Int32, _ messages: String...) {
    self.arguments = arguments.split(separator: " ").map(String.init)
    self.status = status
    self.messages = messages
  }
}

/// Tests of wrong input. An error is one line with the thing, the reason and the remedy. The exit status depends on the kind of error
/// (``BadInput/status``). `tutti` leaves no new files behind.
@Suite(.ownThreads) struct BadInputTests {
  /// Command lines with files, hosts, devices or ports that are missing, broken or of the wrong kind.
  static let unusable = [
    BadInput(
      "peer --port 0 --patch nothing", 69,
      "patch nothing: not found; give a file, or one of:", "street"),
    BadInput("peer --port 0 --patch ./missing.yaml", 69, "./missing.yaml: no such file"),
    BadInput("peer --port 0 --patch broken.yaml --audio wav:x.wav", 65, "broken.yaml:2"),
    BadInput("patch check broken.yaml", 65, "broken.yaml:2"),
    BadInput("patch show broken.yaml", 65, "broken.yaml:2"),
    BadInput("patch show nothing", 69, "patch nothing: not found", "street", "tilt-harp"),
    BadInput("patch show stret", 69, "patch stret: not found; did you mean street? `tutti patch list` lists all names"),
    BadInput(
      "score show ferry-walts", 69,
      "score ferry-walts: not found; did you mean ferry-waltz? `tutti score list` lists all names"),
    BadInput(
      "score show nothing", 69, "score nothing: not found; give a file, or one of: clarinet-song", "ferry-waltz"),
    BadInput("score show ./missing.mxl", 69, "./missing.mxl: no such file"),
    BadInput("score check ./broken.yaml", 65, "broken.yaml:"),
    BadInput("score export evening --output no/such/folder/x.mid", 69, "no/such/folder/x.mid: cannot be written"),
    BadInput("score import ./broken.yaml", 65, "./broken.yaml: is not a MIDI file; give a Standard MIDI File"),
    BadInput("peer --port 0 --patch tilt-harp", 69, "patch tilt-harp: is an instrument, not a rhythm; give a file, or"),
    BadInput("peer --port 0 --audio wav:x.wav --soundfont none.sf2", 69, "none.sf2", "--soundfont"),
    BadInput("peer --port 0 --audio wav:x.wav --soundfont broken.yaml", 65, "broken.yaml: not a SoundFont"),
    BadInput("peer --port 0 --audio wav:no/such/folder/x.wav", 69, "no/such/folder/x.wav: No such file or directory"),
    BadInput(
      "peer --port 0 --audio wav:x.wav --trace no/such/folder/x.trace", 69, "no/such/folder/x.trace: cannot be written"),
    BadInput(
      "measure network no.such.host.invalid:5006", 69,
      "no.such.host.invalid: no machine of this name was found (", "; give its address, for example 192.168.1.21:5006"),
    BadInput("peer --port 0 --audio alsa:hw:Nowhere,7", 69, "hw:Nowhere,7: no such sound card"),
    // With an ALSA sequencer, as in the lab, the error names the port. Without one, the error names the sequencer.
    BadInput(
      "peer --port 0 --audio none --clock-from no-such-port", 69,
      FileManager.default.fileExists(atPath: "/dev/snd/seq") ? "port \"no-such-port\": no such port" : "ALSA sequencer"),
    BadInput(
      "peer --port 0 --audio none --clock-from rtp:no.such.host.invalid:5004", 69,
      "no.such.host.invalid: no machine of this name was found (", "for example --clock-from rtp:192.168.1.21:5004"),
    BadInput("peer --passkey-file none.txt", 69, "passkey file none.txt: No such file or directory; check the path"),
    BadInput("peer --passkey", 69, "--passkey: standard input is not a terminal; use --passkey-file"),
    BadInput(
      "peer --policy contacts --contacts none.txt", 69, "none.txt: cannot be read (No such file or directory)"),
    BadInput("peer --policy contacts --contacts broken.yaml", 65, "broken.yaml, line 1: not `name NAME`"),
    BadInput(
      "peer --port 0 --gate-file none.txt", 69, "gate file none.txt: cannot be read (No such file or directory)"),
    BadInput(
      "peer --port 0 --gate-file broken.yaml", 65, "gate file broken.yaml, line 1: gate", "is missing"),
    BadInput("simulate --network none.txt", 69, "network none.txt: cannot be read (No such file or directory)"),
    BadInput("simulate --network broken.yaml", 65, "broken.yaml:1"),
    BadInput("simulate --network /dev/zero", 69, "network /dev/zero: larger than 1 MiB; give a text file"),
    BadInput("patch import none.mid", 69, "none.mid: cannot be read (No such file or directory)"),
    BadInput("peer --patch ./", 69, "patch ./: cannot be read (Is a directory)"),
    BadInput(
      "peer --record none/x.mid", 69, "none/x.mid: cannot be written (No such file or directory)",
      "give --record a file"),
    BadInput("peer --record /dev/full", 69, "/dev/full: cannot be written (not a regular file)"),
    BadInput("demo --output broken.yaml/d", 69, "broken.yaml/d: cannot be created (Not a directory)"),
    BadInput("demo --patch broken.yaml", 65, "broken.yaml:2"),
    BadInput("measure sync none.trace none.trace", 69, "none.trace: cannot be read"),
    BadInput("measure sync broken.yaml broken.yaml", 65, "broken.yaml:1: no trace header"),
    BadInput("measure clock none.trace", 69, "none.trace: cannot be read"),
    BadInput(
      "measure clock broken.yaml", 65, "broken.yaml:1: no column title names a time: name:, broken; give the column"),
    BadInput("measure follower none.jsonl --listen none.wav", 69, "none.jsonl: cannot be read"),
    BadInput(
      "measure follower broken.yaml --listen none.wav", 65, "broken.yaml:1: not a clock saved with --save; give a file"),
    BadInput(
      "measure audio none.wav none.wav", 69, "none.wav: No such file or directory; give the path of a WAV file"),
    BadInput("measure audio broken.yaml broken.yaml", 65, "broken.yaml"),
  ]

  /// Command lines that are wrong in themselves.
  static let misused = [
    BadInput("peer --bpm 19", 64, "tempo 19.0 BPM is out of range; give one from 20 to 999"),
    BadInput("peer --bpm nan", 64, "tempo nan BPM is out of range"),
    BadInput("peer --bpm fast", 64, "fast"),
    BadInput("peer --gate notes=shut", 64, "neither open nor closed"),
    BadInput("peer --on-master-loss weep", 64, "weep"),
    BadInput("peer --total-activity product", 64, "product"),
    BadInput("simulate --peers 1001", 64, "--peers 1001: out of range; give 2 to 1000"),
    BadInput("simulate --random --peers 17", 64, "--peers 17: out of range; give 2 to 16"),
    BadInput("simulate --seconds 9", 64, "--seconds 9: out of range"),
    // `BadInput` splits the arguments at spaces. A no-break space is not split: it is a blank argument.
    BadInput("peer --led-by \u{a0}", 64, "--led-by: a name is missing; give PEER"),
    BadInput("patch import none.mid --channel 17", 64, "--channel 17: out of range; give 1 to 16"),
    BadInput("patch import none.mid --bpm 1200", 64, "tempo 1200.0 BPM is out of range; give one from 20 to 999"),
    BadInput("peer --activity 128", 64, "--activity 128: out of range"),
    BadInput("peer --connect 127.0.0.1:notaport", 64, "127.0.0.1:notaport: neither HOST nor HOST:PORT"),
    BadInput("peer --connect [::1:5004", 64, "[::1:5004: neither HOST nor HOST:PORT"),
    BadInput("peer --contacts x", 64, "--contacts: has no effect without --policy contacts"),
    BadInput("peer --policy friends", 64, "friends"),
    BadInput("peer --sessions-per-host 0", 64, "--sessions-per-host 0: out of range; give 1 to 1100"),
    BadInput("peer --admit 10.0.0.1", 64, "--admit: has no effect without a passkey"),
    BadInput("peer --passkey --passkey-file x", 64, "--passkey: contradicts --passkey-file"),
    BadInput("peer --time-stamps Ada --on-arrival Ada", 64, "--time-stamps Ada: contradicts --on-arrival"),
    BadInput("peer --journal Ada --no-journal Ada", 64, "--journal Ada: contradicts --no-journal"),
    BadInput("peer --audio wav:x --trace x", 64, "--trace x: is also the WAV file of --audio"),
    BadInput("peer --record x --trace x", 64, "--record x: is also the trace"),
    BadInput("peer --record x --audio wav:x", 64, "--record x: is also the WAV file"),
    BadInput("peer --lead-time 1", 64, "--lead-time 1.0: out of range"),
    BadInput("peer --port 65535", 64, "--port 65535: the data port would be 65536"),
    BadInput("peer --duration 0", 64, "--duration 0.0: out of range"),
    BadInput("peer --audio mp3:x", 64, "--audio mp3:x: not an output; give alsa, alsa:DEVICE, wav:FILE or none"),
    BadInput("peer --audio none --audio alsa", 64, "--audio alsa: contradicts"),
    BadInput("peer --audio wav:a --audio wav:b", 64, "--audio wav:b: contradicts"),
    BadInput("peer --period 0", 64, "--period 0: not a period; give a multiple of 64 from 64 to 1024 frames"),
    BadInput("peer --period 100", 64, "--period 100: not a period"),
    BadInput("peer --period 1088", 64, "--period 1088: not a period"),
    BadInput("peer --period -64", 64, "--period"),
    BadInput("peer --period fast", 64, "fast"),
    BadInput("peer --latency 1001", 64, "--latency 1001.0: out of range; give -100 to 1000 ms"),
    BadInput("peer --latency -101", 64, "--latency -101.0: out of range; give -100 to 1000 ms"),
    BadInput("peer --latency=-201 --lead-time 200", 64, "--latency -201.0: out of range; give -200 to 1000 ms"),
    BadInput("peer --start --clock-from x", 64, "the external clock starts the rhythm"),
    BadInput("peer --clock-from rtp:127.0.0.1:notaport", 64, "127.0.0.1:notaport: neither HOST nor HOST:PORT"),
    BadInput("peer --clock-from rtp:", 64, "neither HOST nor HOST:PORT"),
    BadInput("peer --asymmetry Ada", 64, "--asymmetry Ada: not PEER=MS", "write for example"),
    BadInput("peer --asymmetry Ada=nan", 64, "--asymmetry Ada=nan: not PEER=MS"),
    BadInput("peer --clock-offset TR-8S", 64, "--clock-offset TR-8S: not PORT=MS", "give PORT=MS"),
    BadInput("peer --clock-offset TR-8S=101", 64, "--clock-offset TR-8S=101: not PORT=MS", "-100 to 100 ms"),
    BadInput("peer --clock-offset a=1 --clock-offset a=2", 64, "--clock-offset a: is given twice", "omit one"),
    BadInput(
      "peer " + (1...9).map { "--clock-offset \($0)=\($0)" }.joined(separator: " "), 64,
      "--clock-offset: has 9 different values", "give at most 8"),
    BadInput("peer --asymmetry Ada=10001", 64, "--asymmetry Ada=10001: not PEER=MS", "-10000 to 10000 ms"),
    BadInput("peer --microphone none", 64, "--microphone: has no effect without --http", "or omit --microphone\n"),
    BadInput(
      "peer --microphone-latency 5", 64, "--microphone-latency: has no effect without --http",
      "or omit --microphone-latency\n"),
    BadInput("demo --microphone none", 64, "Unknown option '--microphone'"),
    BadInput("demo --peers 1", 64, "--peers 1: out of range"),
    BadInput("doctor --seconds 3601", 64, "--seconds 3601.0: out of range; give 0 to 3600"),
    BadInput("doctor --port 65535", 64, "--port 65535: the data port would be 65536; give at most 65534"),
    BadInput("demo --bars 0", 64, "--bars 0: out of range"),
    BadInput("demo --activity 128", 64, "--activity 128: out of range"),
    BadInput("demo --bpm 1000", 64, "tempo 1000.0 BPM is out of range"),
    BadInput("measure sync one.trace", 64, "traces: fewer than two"),
    BadInput("measure sync a b --json --csv", 64, "--json and --csv: contradict each other"),
    BadInput("measure sync a b --plot x.gif", 64, "--plot x.gif: not a supported picture format"),
    BadInput(
      "measure audio one.wav", 64,
      "recordings: fewer than two; give two or more, the reference first, or one file with --channels"),
    BadInput("measure audio --runs a.wav b.wav c.wav", 64, "--runs: 3 recordings are not pairs; give two for each run"),
    BadInput("measure audio --runs --channels a.wav b.wav", 64, "--runs and --channels: contradict each other"),
    BadInput(
      "measure clock x --json --csv", 64, "--json, --csv, --tempo, --spectrum and --histogram: contradict each other"),
    BadInput("measure clock x --histogram 0", 64, "--histogram 0: out of range; give 1 to 1000000 bins"),
    BadInput("measure clock x --nominal nan", 64, "--nominal nan: out of range"),
    BadInput("measure clock x --nominal 19", 64, "--nominal 19.0: out of range; give 20 to 1040 BPM"),
    BadInput("measure clock x --unit h", 64, "unit"),
    BadInput("measure clock x --column 0", 64, "--column \"0\": not a column; give its title, or its number from 1"),
    BadInput("measure clock x --from 3 --to 2", 64, "--to 2.0: out of range; give 3.0 (--from) to 1000000000 s"),
    BadInput("measure clock x --skip -1", 64, "--skip"),
    BadInput("measure clock rtp:x --unit ms", 64, "--column and --unit: rtp:x is not a text file"),
    BadInput("measure clock x --ticks-per-quarter 0", 64, "--ticks-per-quarter 0: out of range"),
    BadInput(
      "measure clock x --plot x.gif", 64,
      "--plot x.gif: not a supported picture format"),
    BadInput(
      "measure clock x --loopback hw:1", 64, "--loopback: has 1 device, not 2; write SOURCE --loopback OUTPUT INPUT"),
    BadInput(
      "measure clock x --loopback a b --csv", 64,
      "--loopback: has no effect with --csv, --tempo, --spectrum or --histogram"),
    BadInput("measure clock x --loopback a b --spectrum", 64, "--loopback: has no effect with --csv, --tempo"),
    BadInput("measure clock rtp:x --loopback a b", 64, "--loopback: rtp:x is not a WAV file"),
    BadInput("measure follower alsa:x", 64, "alsa:x: nothing to measure; give --listen INPUT"),
    BadInput("measure follower alsa:x --save y --json", 64, "nothing is measured without --listen; give --listen"),
    BadInput(
      "measure follower alsa:x --listen broken.yaml", 64, "is a recording, which needs the saved clock"),
    BadInput("measure follower alsa:x --save y --jitter 9", 64, "--jitter 9.0: out of range; give 0 to 2.6"),
    BadInput(
      "measure follower x --listen y --seed 5", 64, "x: taken as the file of a clock that was already sent, for which"
    ),
    BadInput(
      "measure follower 24:0", 64, "24:0: taken as a file that --save wrote", "give --listen with",
      "or write alsa:24:0 if 24:0 is a port"),
    BadInput("measure follower x --listen y --sounds-per-quarter 5", 64, "--sounds-per-quarter 5: not a divisor of 24"),
    BadInput("measure follower x --listen y --sounds-per-quarter 12", 64, "drum hits so close together", "at most 8"),
    BadInput("measure audio --clock-ahead 1e99 -- a.wav b.wav", 64, "--clock-ahead 1e+99: out of range"),
    BadInput("dance", 64, "dance"),
  ]

  /// Runs `tutti` with `input` in a folder that contains `broken.yaml`, a file that no command can parse.
  ///
  /// - Returns: the outcome, and the names of the files that `tutti` has left behind.
  private func run(_ input: BadInput) async throws -> (outcome: Child.Outcome, newFiles: [String]) {
    let folder = try TemporaryFolder()
    try Data("name: broken\nlayers: [\n".utf8).write(to: folder.url.appendingPathComponent("broken.yaml"))
    let outcome = try await Child.tutti(input.arguments, in: folder).outcome()
    // The client library of a sound server may create the folder `config` for its settings.
    let known: Set = ["broken.yaml", "state", "config", "tutti.output", "tutti.error"]
    return (outcome, folder.contents.filter { !known.contains($0) })
  }

  @Test(arguments: unusable) func missingOrBrokenFilesGiveOneLinePerError(input: BadInput) async throws {
    let (outcome, newFiles) = try await run(input)
    #expect(outcome.status == input.status, "\(outcome.errors)")
    #expect(outcome.output == "")
    for text in input.messages { #expect(outcome.errors.contains(text), "\(outcome.errors)") }
    let lines = outcome.errors.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("tutti: ") }, "\(outcome.errors)")
    #expect(newFiles == [], "incomplete files are left behind")
  }

  @Test(arguments: misused) func wrongArgumentsGiveStatus64(input: BadInput) async throws {
    let (outcome, newFiles) = try await run(input)
    #expect(outcome.status == 64, "\(outcome.errors)")
    for text in input.messages { #expect(outcome.errors.contains(text), "\(outcome.errors)") }
    #expect(newFiles == [])
  }

  @Test func portInUseIsReported() async throws {
    let taken = try PortPair(port: 0)
    defer { taken.close() }
    // The second peer gets the control port, and its data port is in use.
    let (control, other) = (taken.control.port, taken.control.port - 1)
    for (port, subject) in [(control, "\(control)"), (other, "\(control) (the data port of --port \(other))")] {
      let (outcome, newFiles) = try await run(
        BadInput("peer --audio wav:x.wav --trace x.trace --record x.mid --port \(port)", 69))
      #expect(outcome.status == 69 && newFiles == [])
      let remedy = "choose another with --port N (a peer uses N and N + 1)"
      #expect(outcome.errors == "tutti: UDP port \(subject): Address already in use; \(remedy)\n")
    }
  }

  @Test func failedStartKeepsAnExistingRecording() async throws {
    let folder = try TemporaryFolder()
    let existing = Data("an existing recording".utf8)
    for name in ["x.wav", "x.mid"] { try existing.write(to: folder.url.appendingPathComponent(name)) }
    let arguments = [
      "peer", "--port", "0", "--audio", "wav:x.wav", "--record", "x.mid", "--trace", "no/such/folder/x.trace",
    ]
    let outcome = try await Child.tutti(arguments, in: folder).outcome()
    #expect(outcome.status == 69)
    for name in ["x.wav", "x.mid"] {
      #expect(try Data(contentsOf: folder.url.appendingPathComponent(name)) == existing, "\(name)")
    }
  }

  /// A configured peer is reported after three seconds without an answer. The local peer runs for 6 s.
  @Test func unreachablePeerIsReportedOnceAndTheLocalPeerKeepsRunning() async throws {
    // The ports stay bound and nothing reads them, so no peer of another test can answer there.
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    let address = "127.0.0.1:\(pair.control.port)"
    let folder = try TemporaryFolder()
    let arguments = ["peer", "--port", "0", "--discovery", "off", "--connect", address, "--duration", "6"]
    let outcome = try await Child.tutti(arguments, in: folder).outcome()
    #expect(outcome.status == 0)
    let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("does not answer") }
    let remedy = "check that the peer runs there, and check the address, the port and the firewall"
    #expect(warnings == ["tutti: \(address): does not answer (trying again); \(remedy)"])
  }

  /// The lines of tables and examples begin with a space. They must fit 80 columns: a help text for 80 columns must have the same lines
  /// as a help text for 1000 columns, in which no line is wrapped. The part from USAGE on is not compared.
  @Test(arguments: [
    "", "demo", "peer", "calibrate", "doctor", "passkey", "ports", "simulate", "measure", "measure activity",
    "measure audio",
    "measure clock", "measure follower", "measure network", "measure path", "measure players", "measure schema",
    "measure sync", "patch", "patch check", "patch export", "patch import", "patch list", "patch new", "patch render",
    "patch show", "score", "score check", "score export", "score import", "score list", "score show",
  ])
  func helpHasExamplesAndTablesOf80Columns(command: String) async throws {
    let arguments = command.split(separator: " ").map(String.init) + ["--help"]
    var tables: [[Substring]] = []
    for columns in [80, 1000] {
      let environment = ["COLUMNS": "\(columns)"]
      let outcome = try await Child.tutti(arguments, environment: environment, in: TemporaryFolder()).outcome()
      #expect(outcome.status == 0 && outcome.output.contains("EXAMPLE") && outcome.output.contains("tutti "))
      let lines = outcome.output.split(separator: "\n").prefix { !$0.hasPrefix("USAGE") }
      tables.append(lines.filter { $0.hasPrefix(" ") })
    }
    #expect(tables[0] == tables[1])
  }
}
