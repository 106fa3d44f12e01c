import ArgumentParser
import Audio
import Engine
import Foundation
import Logging
import MusicalTime
import RTPMIDI
import Realtime
import Rhythm
import Transports

struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Run one peer: play with others, or alone.",
    discussion: """
      Keys on a terminal: space starts and stops the rhythm, c goes on where it stopped, < and > move that place by a bar, \
      + and - change the tempo, 0...9 set your activity (more of it, a richer rhythm), h offers the rhythm and t takes it, \
      tab chooses to whom your notes go, w tells who is there, q leaves.

      Behind a colon on a terminal, and line by line on standard input where that is none: \(PlayerCommand.vocabulary).

      EXAMPLES
        tutti peer
        tutti peer --audio alsa:hw:1,0 --audio wav:me.wav
        tutti peer --name Ada --connect 192.168.1.20:5004
        tutti peer --start --bpm 96 --duration 60 --connect studio.local:5004
        tutti peer --connect 192.168.1.20:5004 --trace ada.trace --json
        tutti peer --clock-from "TR-8S"
        tutti peer --clock-from rtp:192.168.1.30:5004
        tutti peer --policy contacts --no-journal "stage box"
        tutti peer --name Ben --led-by Ada --gate "Cleo:notes,modification=closed"
        tutti peer --name Ada --restore
      """)

  @Option(help: "What the others see. Default: this machine's name.")
  var name: String?

  @OptionGroup(title: "Network")
  var network: NetworkOptions

  @OptionGroup(title: "Ensemble")
  var ensemble: EnsembleOptions

  @Flag(
    help: ArgumentHelp(
      "After a crash: back into the session that a peer of this name was in, with its patch, tempo, gates and role. What "
        + "else is given here counts more."))
  var restore = false

  @Flag(help: "Start the rhythm when everybody to connect to is there, after 5 s in any case.")
  var start = false

  @Option(help: ArgumentHelp("Tempo in beats a minute, 20...999. Default: the patch's.", valueName: "B"))
  var bpm: Double?

  @Option(
    help: "The rhythm to play: a name from `tutti patch list` or a file. Default: \(PatchLibrary.standard).")
  var patch: String?

  @Option(help: ArgumentHelp("Your activity at the beginning, 0...127. Default: 64.", valueName: "A"))
  var activity: UInt8?

  @Option(
    help: ArgumentHelp(
      "Where the sound goes: alsa, alsa:DEVICE (see `tutti ports`), wav:FILE or none. A card and a file may both be "
        + "given. Default: alsa where there is a sound card.", valueName: "OUTPUT"))
  var audio: [String] = []

  @Option(
    help: ArgumentHelp(
      "What comes after the sound card, Bluetooth or a long converter, adds so much delay, 0...1000 ms: play earlier by it.",
      valueName: "MS"))
  var latency = 0.0

  @Option(
    name: .customLong("soundfont"), help: ArgumentHelp("The General MIDI SoundFont to play with.", valueName: "FILE"))
  var soundFont = DrumLanes.defaultSoundFont

  @Option(help: ArgumentHelp("How far ahead start, stop and tempo changes are told, 70...2000 ms.", valueName: "MS"))
  var lead: Double = 100

  @Flag(help: "Open ALSA sequencer ports: clock and notes out, notes and controllers in.")
  var midi = false

  @Option(
    help: ArgumentHelp(
      "Keep the MIDI clock of this ALSA port (see `tutti ports`) and be the network's master from it: Start, Stop, "
        + "Continue and Song Position included. Opens the ports of --midi as well. rtp:HOST[:PORT] keeps that of an "
        + "RTP-MIDI peer, and connects to it as --connect does. May be given again: the first that is heard is kept, and "
        + "another when that falls silent.", valueName: "PORT"))
  var clockFrom: [String] = []

  @Option(help: ArgumentHelp("With --start: how long the rhythm plays; without: how long to stay.", valueName: "S"))
  var duration: Double?

  @Option(help: ArgumentHelp("Write what happened at each tick to this file, JSON lines.", valueName: "FILE"))
  var trace: String?

  @Flag(help: "Print events as JSON lines on standard output.")
  var json = false

  func validate() throws {
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
    if let name, name.trimmingCharacters(in: .whitespaces).isEmpty || name.contains(where: \.isNewline) {
      throw ValidationError("--name \(name.debugDescription): not a name; give one line of text")
    }
    if let trace, audio.contains("wav:" + trace) {
      throw ValidationError("--trace \(trace): is the recording's file; give the trace another")
    }
    if let activity, activity > 127 {
      throw ValidationError("--activity \(activity): out of range; give one from 0 to 127")
    }
    // Steps are with the sound 50 ms ahead: a stop told later than that could not hold them back.
    guard (70...2000).contains(lead) else {
      throw ValidationError("--lead \(lead): out of range; give one from 70 to 2000 ms")
    }
    if let duration, !(0.001...1e7).contains(duration) {
      throw ValidationError("--duration \(duration): out of range; give seconds from 0.001 to 10000000")
    }
    guard (0...1000).contains(latency) else {
      throw ValidationError("--latency \(latency): out of range; give one from 0 to 1000 ms")
    }
    for case .peer(let name) in clockFrom.map(ClockSource.init) {
      try usage { () throws(TransportError) in try SocketAddress.parts(of: name) }
    }
    if start, !clockFrom.isEmpty {
      throw ValidationError("--start: with --clock-from the outside clock starts the rhythm; leave one of them away")
    }
    for (n, output) in audio.enumerated() {
      let kind = output.prefix { $0 != ":" }
      let isWhole = kind == "wav" ? output.count > 4 : kind == "alsa" ? output != "alsa:" : output == "none"
      guard isWhole else {
        throw ValidationError("--audio \(output): not an output; give alsa, alsa:DEVICE, wav:FILE or none")
      }
      guard audio[..<n].allSatisfy({ $0.prefix { $0 != ":" } != kind && $0 != "none" && kind != "none" }) else {
        throw ValidationError(
          "--audio \(output): does not go with what was given before; give one card, one file or none")
      }
    }
  }

  func run() throws {
    let terminal = Terminal()
    try reportingFailures {
      let name = name ?? ProcessInfo.processInfo.hostName
      let log = Logger(label: "tutti") { _ in TerminalLog(terminal) }
      let store = try IdentityStore(name: name)
      let saved = restore ? store.restoreSession(log) : nil
      let patchName = self.patch ?? saved?.patch ?? PatchLibrary.standard
      let patch = try PatchLibrary.load(patchName)
      let tempo = try bpm.map { try Tempo(bpm: $0) } ?? saved?.tempo ?? patch.tempo
      var configuration = PeerConfiguration(
        name: name, tempo: tempo, patch: patch, patchName: patchName,
        soundFont: soundFont, command: CommandLine.arguments.joined(separator: " "))
      configuration.restored = saved
      if let saved { configuration.gates = saved.gates }
      try network.apply(to: &configuration)
      try ensemble.apply(to: &configuration)
      configuration.start = start
      configuration.activity = activity ?? saved?.activity ?? 64
      configuration.latency = Nanoseconds(Int64((latency * 1e6).rounded()))
      for output in audio {
        if output.hasPrefix("wav:") { configuration.recording = String(output.dropFirst(4)) }
        if output.hasPrefix("alsa") {
          configuration.card = .named(output == "alsa" ? "default" : String(output.dropFirst(5)))
        }
      }
      if audio.isEmpty { configuration.card = .anyThereIs }
      configuration.midi = midi
      configuration.clockFrom = clockFrom.map(ClockSource.init)
      configuration.lead = Nanoseconds(Int64((lead * 1e6).rounded()))
      configuration.duration = duration.map { Nanoseconds(Int64(($0 * 1e9).rounded())) }
      configuration.trace = trace

      let mailbox = Mailbox()
      // Until then Ctrl-C ends the program: a sound server may keep the peer waiting for long.
      let peer = try Peer(configuration, store: store, mailbox: mailbox, log: log)
      let signals = Interruption { mailbox.post(.leave) }
      defer { signals.cancel() }
      if json {
        print(
          event: Ready(
            name: configuration.name, identity: "\(peer.identity)", port: peer.port, at: MonotonicClock.now.nanoseconds)
        )
      } else {
        terminal.say("\(configuration.name) is on port \(peer.port); \(keysHint(terminal))")
      }
      let keys = Keys(mailbox, on: terminal)
      defer { keys.restore() }
      try peer.run(
        status: terminal.isInteractive ? { terminal.show(statusLine($0)) } : nil,
        watch: json ? { print(event: EventLine($0)) } : nil)
      terminal.clear()
      if json { print(String(decoding: try JSONEncoder.sorted.encode(peer.summary), as: UTF8.self)) }
    }
  }

  private func keysHint(_ terminal: Terminal) -> String {
    terminal.readsKeys ? "space starts and stops, +/- tempo, 0-9 activity, w who, q leaves" : "Ctrl-C leaves"
  }
}

/// One line for a musician's eye: role, tempo, bar and beat, peers, clock offset.
private func statusLine(_ status: PeerStatus) -> String {
  let offset = status.clockOffset.map { String(format: "%+.3f ms", $0.milliseconds) } ?? "-"
  return String(
    format: "%-8@ %6.1f BPM  %4ld.%ld  peers %ld  clock %@  activity %ld of %ld", status.role.description as NSString,
    status.tempo.bpm, Int(status.bar), Int(status.beat), status.peers, offset as NSString, Int(status.activity),
    Int(status.total))
}
