import ArgumentParser
import Audio
import Console
import Engine
import Foundation
import Logging
import MusicalTime
import RTPMIDI
import Realtime
import Rhythm
import Text
import Transports

/// The subcommand `tutti peer`.
struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Run one peer, alone or with others.", usage: "tutti peer [<options>]",
    discussion: discussion)

  @Option(help: ArgumentHelp("Set the name that other peers see. (default: the host name)", valueName: "NAME"))
  var name: String?

  @OptionGroup(title: "Network")
  var network: NetworkOptions

  @OptionGroup(title: "Ensemble")
  var ensemble: EnsembleOptions

  @OptionGroup(title: "Score")
  var scoreOptions: ScoreOptions

  @OptionGroup(title: "Web page")
  var console: ConsoleOptions

  @Flag(
    help: ArgumentHelp(
      "Restore the patch, tempo, activity, gates and connections that the peer with this --name had when it crashed. "
        + "If it was the master, it is the master again, unless another peer has become the master in the meantime. "
        + "--led-by, --patch, --bpm and --activity replace restored values; --connect adds to the restored "
        + "connections; --gate-file and --gate then change the restored gates. If the saved patch cannot be used, the peer "
        + "plays the default one.")
  )
  var restore = false

  @Flag(help: "Start the rhythm when all --connect peers are connected, at the latest after 5 s.")
  var start = false

  @Option(
    help: ArgumentHelp("Set the tempo in beats per minute, 20...999. (default: from the patch)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Play this rhythm: a name from `tutti patch list` or a file. Followers play the rhythm of the master instead. "
        + "(default: \(PatchLibrary.standard))",
      valueName: "PATCH"))
  var patch: String?

  @Option(
    help: ArgumentHelp(
      "Choose an instrument: a name from `tutti patch list` or a file. (default: your notes are played unchanged)",
      valueName: "INSTRUMENT"))
  var instrument: String?

  @Option(
    name: .customLong("player"),
    help: ArgumentHelp(
      "Let a MIDI device play as a player of its own: a port (needs --midi; see `tutti ports`) or an RTP-MIDI device, by name or "
        + "address. Its notes strike the instrument, CC 11 is its energy. Repeatable, at most 4.",
      valueName: "DEVICE[=NAME]"))
  var players: [String] = []

  @Flag(help: "Play your own rhythm, even while another peer is the master.")
  var ownPatch = false

  @Option(
    help: ArgumentHelp(
      "Set your activity at the start, 0...127. (default: while no player has set one, all players together have 56)",
      valueName: "A"))
  var activity: UInt8?

  @Option(
    help: ArgumentHelp(
      "Play through the default sound card (alsa) or another one (alsa:DEVICE, see `tutti ports`), record to a file "
        + "(wav:FILE), or do neither (none). Give the option twice to play and to record. An existing file is renamed. "
        + "(default: alsa, as soon as there is a sound card)",
      valueName: "OUTPUT"))
  var audio: [String] = []

  @Option(
    help: ArgumentHelp(
      "Refill the sound card when it still holds this number of frames, 64...1024, a multiple of 64. With fewer "
        + "frames, notes sound sooner; with more frames, a busy machine causes fewer gaps. Has no effect if the sound "
        + "goes through a sound server, such as PipeWire.",
      valueName: "FRAMES"))
  var period = PCMDevice.defaultPeriod

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Play the rhythm this much earlier, because devices after the sound card (Bluetooth, converters) add this delay, "
        + "up to 1000 ms (negative: later, up to the lead time). The command `latency` changes it.",
      valueName: "MS"))
  var latency = 0.0

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use the sounds of this General MIDI SoundFont.", valueName: "FILE"))
  var soundFont = SoundModule.defaultSoundFont

  @Option(
    help: ArgumentHelp(
      "As the master, announce each change of the rhythm (start, stop, tempo, layers) to the other peers at least "
        + "this long before it takes effect, 70...2000 ms. If a slow sound card or a phone needs more time, the peer "
        + "itself uses a longer time. On a slow network, give a longer time. Ticks to Tutti peers are sent ahead by 10 ms "
        + "less than the lead time at the start of the peer.",
      valueName: "MS"))
  var leadTime: Double = 100

  @Flag(
    help: ArgumentHelp(
      "Open three ALSA sequencer ports: `clock` sends the MIDI clock, `notes` sends the notes and controllers of the "
        + "other players, and `in` receives yours."))
  var midi = false

  @Option(
    help: ArgumentHelp(
      "Follow an external MIDI clock: the name or number of an ALSA port (see `tutti ports`), which implies --midi, or "
        + "rtp:HOST[:PORT] for an RTP-MIDI device, which implies --connect. Repeatable.",
      valueName: "SOURCE"))
  var clockFrom: [String] = []

  @Flag(
    help: ArgumentHelp(
      "With --clock-from, ignore Start, Stop, Continue and Song Position: the rhythm plays while clock ticks arrive. For devices "
        + "that send a clock but no Start."))
  var noTransport = false

  @Flag(
    help: ArgumentHelp(
      "Let the MIDI clock run on while no rhythm plays, on the port `clock` of --midi and to RTP-MIDI devices without Tutti. "
        + "If several peers are connected to a device, give this to one of them."))
  var clockAlways = false

  @Option(
    help: ArgumentHelp(
      "Send the MIDI clock to PORT later by MS milliseconds, -100...100 (negative: earlier, for a device that reacts late). PORT "
        + "is a MIDI port that is connected to the port `clock` of --midi, by name or number, or an RTP-MIDI device without Tutti, by "
        + "name or address. Repeatable, with at most \(PeerConfiguration.maximumClockOffsets) different values. (default: 0)",
      valueName: "PORT=MS"))
  var clockOffset: [String] = []

  @Option(
    help: ArgumentHelp(
      "With --start, stop the rhythm S seconds after it began, and leave. Without --start, leave S seconds after the "
        + "start of the program. (default: no limit)",
      valueName: "S"))
  var duration: Double?

  @Option(
    help: ArgumentHelp(
      "Write a trace to this file, for `tutti measure`: JSON lines for ticks, steps and actions. An existing file is renamed.",
      valueName: "FILE"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Record what is played to this MIDI file: the rhythm and each of up to 64 players in a track of its own, with the tempo. An "
        + "existing file is renamed, for example to take-1.mid.", valueName: "FILE"))
  var record: String?

  @Flag(help: "Print events as JSON lines on standard output.")
  var json = false

  func validate() throws {
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
    if let name, name.contains(where: \.isNewline) {
      throw ValidationError("--name \(name.debugDescription): has more than one line; give one line of text")
    }
    if let name, name.cleanName() == nil {
      throw ValidationError("--name \(name.debugDescription): is blank; give one line of text")
    }
    if let trace, audio.contains("wav:" + trace) {
      throw ValidationError("--trace \(trace): is also the WAV file of --audio; give --trace another file")
    }
    if let record, trace == record || audio.contains("wav:" + record) {
      throw ValidationError(
        "--record \(record): is also the \(trace == record ? "trace" : "WAV file"); give --record another file")
    }
    if let activity { try check("--activity", activity, in: 0...127, "0 to 127") }
    // The audio thread gets each step 50 ms in advance, or earlier for a slow sound card; `Peer` then uses a longer lead time. With a
    // lead time of 70 ms, the announcement of a change has 20 ms to arrive before the audio thread gets the first step that changes.
    try check("--lead-time", leadTime, in: 70...2000, "70 to 2000 ms")
    if let duration { try check("--duration", duration, in: 0.001...1e7, "0.001 to 10000000 seconds") }
    guard PCMDevice.periods.contains(period), period.isMultiple(of: StereoBlock.length) else {
      throw ValidationError("--period \(period): not a period; give a multiple of 64 from 64 to 1024 frames")
    }
    let latencies = PeerConfiguration.latencies(leadTime: leadTime)
    try check("--latency", latency, in: latencies, "\(Int(-leadTime)) to 1000 ms (--lead-time decides the lower limit)")
    for case .peer(let name) in clockFrom.map(ClockSource.init) {
      try usage { () throws(TransportError) in try SocketAddress.parts(of: name) }
    }
    if noTransport, clockFrom.isEmpty {
      throw ValidationError("--no-transport: only for an external clock; add --clock-from, or omit --no-transport")
    }
    try validateClockOffsets()
    if start, !clockFrom.isEmpty {
      throw ValidationError(
        "--start: contradicts --clock-from, where the external clock starts the rhythm; omit one of them")
    }
    for (n, output) in audio.enumerated() {
      // The text before the colon: wav, alsa or none.
      let kind = output.prefix { $0 != ":" }
      let isValid =
        switch kind {
        case "wav": output.count > "wav:".count
        case "alsa": output != "alsa:"
        default: output == "none"
        }
      guard isValid else {
        throw ValidationError("--audio \(output): not an output; give alsa, alsa:DEVICE, wav:FILE or none")
      }
      // Each kind is given at most once, and `none` only alone.
      let previousKinds = audio[..<n].map { previous in previous.prefix { $0 != ":" } }
      guard previousKinds.allSatisfy({ $0 != kind && $0 != "none" && kind != "none" }) else {
        throw ValidationError(
          "--audio \(output): contradicts a previous --audio; give at most one card and one file, or none")
      }
    }
  }

  private func validateClockOffsets() throws {
    let offsets = try clockOffset.map { argument in
      guard let offset = NamedTime(argument, upTo: 100) else {
        throw ValidationError(
          "--clock-offset \(argument): not PORT=MS with -100 to 100 ms; give PORT=MS, for example TR-8S=-12")
      }
      return offset
    }
    if let name = offsets.map(\.name).first(where: { name in offsets.count { $0.name == name } > 1 }) {
      throw ValidationError("--clock-offset \(name): is given twice; omit one of them")
    }
    let (count, limit) = (
      Set(offsets.map(\.time)).subtracting([.zero]).count, PeerConfiguration.maximumClockOffsets
    )
    guard count <= limit else {
      throw ValidationError("--clock-offset: has \(count) different values; give at most \(limit)")
    }
  }

  func run() throws {
    // Huge pages must be disabled before the first thread starts. The next line creates the output writers, which start threads.
    MemoryLock.disableHugePages()
    let (terminal, output) = (Terminal(), OutputWriter.events())
    defer {
      terminal.flush()
      output.flush()
    }
    let name = name ?? ProcessInfo.processInfo.hostName
    let pages = PageConnection()
    let log = Logger(label: "tutti") { _ in
      MultiplexLogHandler([
        // A program that reads the events also gets the details that a player does not need.
        LineLog(json ? .debug : .info) {
          terminal.printLine($0.level >= .warning ? "tutti: \($0.message)" : "\($0.message)")
        },
        LineLog(.notice) { pages.console?.show("\($0.message)", level: "\($0.level)") },
      ])
    }
    let store = try StateStore(name: name, log: log)
    let saved = restore ? store.restoreSession(log) : nil
    let (patchName, patch, patchVersion) = try rhythm(saved, in: store, log)
    let instrumentVersion = instrument.flatMap { PatchSelector.version(of: $0, .instrument) }
    let tempo = try bpm.map { try Tempo(bpm: $0) } ?? saved?.tempo ?? patch.tempo
    var configuration = PeerConfiguration(
      name: name, tempo: tempo, patch: patch, patchName: patchName,
      soundFont: soundFont, command: CommandLine.arguments.joined(separator: " "))
    (configuration.isTempoChosen, configuration.isPatchChosen) = (bpm != nil, self.patch != nil)
    if let given = self.name, given != configuration.name {
      let limit = "a name has at most 48 octets, and only visible characters"
      log.notice("--name: \(limit), so other peers see \(configuration.name)")
    }
    configuration.restored = saved
    if let saved { configuration.gates = saved.gates }
    try network.apply(to: &configuration) { log.warning("\($0)") }
    try ensemble.apply(to: &configuration)
    try scoreOptions.apply(to: &configuration)
    if configuration.score == nil, let name = saved?.score {
      do { configuration.score = try ScoreOptions.choice(of: name) } catch {
        let line = "its score \(name.printable(upTo: 200)) cannot be used (\(error))"
        log.warning("\(store.sessionPath ?? "--restore"): \(line); choose a score with the command `score NAME`")
      }
    }
    configuration.start = start
    configuration.ownPatch = ownPatch
    configuration.players = players
    if let instrument {
      (configuration.instrument, configuration.instrumentName) = (try PatchLibrary.instrument(instrument), instrument)
    }
    configuration.activity = activity ?? saved?.activity
    configuration.period = period
    configuration.latency = Nanoseconds(Int64((latency * 1e6).rounded()))
    for output in audio {
      if output.hasPrefix("wav:") { configuration.recording = String(output.dropFirst(4)) }
      if output.hasPrefix("alsa") {
        configuration.card = .named(output == "alsa" ? "default" : String(output.dropFirst(5)))
      }
    }
    if audio.isEmpty { configuration.card = .defaultIfUsable }
    configuration.midi = midi
    configuration.clockFrom = clockFrom.map(ClockSource.init)
    configuration.followsTransport = !noTransport
    configuration.clockAlways = clockAlways
    for offset in clockOffset.compactMap({ NamedTime($0, upTo: 100) }) {
      configuration.clockOffsets.append(ClockOffset(port: offset.name, offset: offset.time))
      configuration.peerOptions[offset.name].clockOffset = offset.time
    }
    configuration.lead = Nanoseconds(Int64((leadTime * 1e6).rounded()))
    configuration.duration = duration.map { Nanoseconds(Int64(($0 * 1e9).rounded())) }
    configuration.trace = trace
    configuration.midiRecording = record
    let mailbox = Mailbox()
    /// Creates the peer. Its recordings and its trace replace no earlier file.
    func makePeer() throws -> Peer {
      let files: [(String?, EarlierFiles.Content, String)] = [
        (configuration.recording, .recording, "--audio"), (record, .recording, "--record"), (trace, .trace, "--trace"),
      ]
      let earlier = try EarlierFiles(files.compactMap { path, content, option in path.map { ($0, content, option) } })
      let peer: Peer
      do { peer = try Peer(configuration, store: store, mailbox: mailbox, log: log) } catch {
        earlier.restore()
        throw error
      }
      for line in earlier.lines { log.notice("\(line)") }
      return peer
    }
    // The initializer of `Peer` can block for a long time in a sound server. Until it has returned, Ctrl-C ends the program at
    // once. From then on, Ctrl-C makes the peer leave.
    var peer = try makePeer()
    let signals = TerminationSignals { mailbox.post(.leave) }
    defer { signals.cancel() }
    printReady(peer, configuration, terminal, output)
    let rhythms = PatchSelector(.rhythm, patchName, patchVersion, post: { mailbox.post($0) }, terminal: terminal)
    let instruments = PatchSelector(
      .instrument, instrument, instrumentVersion, post: { mailbox.post($0) }, terminal: terminal)
    let reportPlayers: @Sendable (Int) -> Void = { [json] count in
      if json {
        output.write(event: "page_players", ["players": count])
      } else {
        terminal.printLine("web page: \(count) \(count == 1 ? "player" : "players")")
      }
    }
    let page = try console.open(
      configuration, mailbox: mailbox, rhythms: rhythms, onPlayers: reportPlayers
    ) { [json] event in
      show(event, on: log)
      if json, case .measured(let report) = event { output.write(event: "calibrated", report.json) }
    }
    if let page {
      pages.console = page
      printAddresses(PageAddresses(page), terminal, output)
    }
    // The other peers get this port, so that their pages can move to this peer.
    peer.page.port = page?.sharedPort
    defer {
      pages.console = nil
      page?.stop()
    }
    var editor: CommandLineEditor?
    let input = KeyboardInput(on: terminal) { isTerminal in
      let made = CommandLineEditor(
        isTerminal: isTerminal, post: { mailbox.post($0) }, rhythms: rhythms, instruments: instruments, pages: pages,
        terminal: terminal)
      editor = made
      return made
    }
    defer { input.restoreTerminal() }
    var (watchers, viewers): ([(PeerEvent) -> Void], [(PeerSnapshot) -> Void]) = ([], [])
    if json { watchers.append { output.write($0) } }
    if terminal.isInteractive {
      viewers.append { [editor] snapshot in
        terminal.showStatus(StatusDisplay.lines(snapshot, size: terminal.size))
        editor?.setPlayers(StatusDisplay.playerNames(snapshot))
        editor?.setRhythm([snapshot.patchName, snapshot.patch.name])
      }
    }
    if let page {
      watchers.append(page.observe)
      viewers.append(page.update)
    }
    if try peer.run(watchers: watchers, viewers: viewers) == .renewedIdentity {
      // Another machine uses the identity of this peer. The peer starts again with a new identity, at most once. It does not
      // restore the running rhythm, because the claim to lead this rhythm belongs to the former identity.
      configuration.renewsIdentity = false
      configuration.restored?.rhythm = nil
      (configuration.patch, configuration.patchName) = (peer.patch, peer.chosenPatchName)
      // Commands may have changed the delay of the page (`PageReport.delay`), the connection policy and the latency. The new peer keeps them.
      configuration.latency = peer.latency
      let (pageReport, policy) = (peer.page, peer.policy.kind)
      peer = try makePeer()
      peer.page = pageReport
      mailbox.post(.policy(policy))
      printReady(peer, configuration, terminal, output)
      try peer.run(watchers: watchers, viewers: viewers)
    }
    terminal.clearStatus()
    if json { output.write(json: peer.summary) }
  }

  /// Loads the rhythm of --patch, otherwise that of the saved session, otherwise the default one. If the saved rhythm cannot be used, logs
  /// the reason and loads the default one: a peer that is restored without supervision must start.
  ///
  /// - Returns: the name and the version of the file, too.
  private func rhythm(
    _ saved: SavedSession?, in store: StateStore, _ log: Logger
  ) throws -> (name: String, patch: Patch, version: PatchSelector.Version?) {
    func load(_ name: String) throws -> (String, Patch, PatchSelector.Version?) {
      // The version is read before the file. If the file is saved in between, it is loaded again.
      let version = PatchSelector.version(of: name, .rhythm)
      return (name, try PatchLibrary.rhythm(name), version)
    }
    if let patch { return try load(patch) }
    guard let saved else { return try load(PatchLibrary.standard) }
    do { return try load(saved.patch) } catch {
      let lines = "\(error)".split(separator: "\n")
      let others = lines.count > 1 ? ", and \(lines.count - 1) more" : ""
      let name = saved.patch.printable(upTo: 200)
      let effect = "so this peer plays the default rhythm \(PatchLibrary.standard)"
      let remedy = "correct the rhythm, then choose it with the command `patch \(name)`"
      log.warning(
        "\(store.sessionPath ?? "--restore"): its rhythm \(name) cannot be used (\(lines.first ?? "")\(others)), \(effect); \(remedy)"
      )
      return try load(PatchLibrary.standard)
    }
  }

  /// Prints that the peer runs: a JSON line with its identity, or its port and the keys.
  private func printReady(
    _ peer: Peer, _ configuration: PeerConfiguration, _ terminal: Terminal, _ output: OutputWriter
  ) {
    guard json else {
      terminal.printLine("\(configuration.name): port \(peer.port); \(keyHelp(terminal))")
      // Without Avahi, the others do not find this peer, unless it connects to one of them: peers tell each other the addresses of all
      // others.
      let isAlone = configuration.connect.isEmpty && configuration.restored?.peers.isEmpty != false
      if isAlone, configuration.discovery == .off || !Discovery.hasDaemon,
        let address = LocalAddresses.preferred()
      {
        terminal.printLine("on the other machines: tutti peer --connect \(address):\(peer.port)")
      }
      return
    }
    output.write(
      event: "ready", ["name": configuration.name, "identity": "\(peer.identity)", "port": peer.port])
  }

  /// Prints the addresses of the web page.
  private func printAddresses(_ addresses: PageAddresses, _ terminal: Terminal, _ output: OutputWriter) {
    guard json else { return addresses.show(on: terminal) }
    output.write(
      event: "page", ["lead": addresses.lead, "play": addresses.play, "fingerprint": addresses.fingerprint])
  }

  /// The most important keys, for the first line of the output.
  private func keyHelp(_ terminal: Terminal) -> String {
    terminal.readsKeys
      ? "space: start/stop, +/-: tempo, 0-9: activity, p: next rhythm, ?: all keys, q: leave" : "Ctrl-C: leave"
  }
}

/// Shows an event of a calibration to the player. After a failure, the player must act.
private func show(_ event: CalibrationEvent, on log: Logger) {
  switch event {
  case .began(1): log.info("calibrate: one page clicks for six seconds")
  case .began(let pages): log.info("calibrate: \(pages) pages click, one after another, each for six seconds")
  case .measured(let report):
    let name = "page \(report.page) (\(report.address))"
    guard let delay = report.delay else { return log.info("\(name): not calibrated; \(report.problem ?? "")") }
    let direction = delay.milliseconds < 0 ? "earlier" : "later"
    let figures = String(
      format: "%.1f ms \(direction) than this peer (± %.1f ms, from %d of %d clicks)", abs(delay.milliseconds),
      delay.uncertainty, delay.used, delay.used + delay.rejected)
    log.info("\(name): sounds \(figures); the page now compensates for this")
  case .failed(let reason): log.notice("calibrate: \(reason)")
  case .ended: log.info("calibrate: done")
  }
}
