import ArgumentParser
import Audio
import Engine
import Foundation
import Measurement
import MusicalTime
import Rhythm

/// The subcommand `tutti demo`.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run several peers on this machine and measure their timing.", usage: "tutti demo [<options>]",
    discussion: """
      Each peer is a separate process that records to a WAV file. If there is a sound card, the first peer also plays \
      through it. The first peer starts the rhythm and is the master. The other peers follow its clock over the \
      network of this machine. The file mix.wav is a stereo mix of all recordings, each at another place from left to \
      right.

      The activity of the first peer rises from 0 to 127 in the first three quarters of the bars, and that of the \
      other peers is 0. The total activity of all peers selects the layers of the rhythm, so all layers are heard. \
      Meanwhile, a terminal shows the drums of all layers; * marks those that sound in the present bar. Without a terminal, or with TERM=dumb, each \
      change of the layers is printed as a line. Ctrl-C ends the rhythm early; the figures are then those of the part \
      that was played.

      RESULT
        ticks      MIDI clock ticks (24 per quarter note) that were received, of
                   those that were due
        hits       drum strokes and notes that were found in the recording, of those
                   that were to begin; hits at the same instant count once
        late       hits that sounded at least one sample (0.02 ms) later than
                   planned
        underruns  how often the peer ran 5 ms or more too late, because this
                   machine was busy; on a sound card, each would be heard as a click
        difference the largest time between the same tick, or the same hit in the
                   recordings, on this peer and on the first peer

      COLUMNS OF --details
        ticks      MIDI clock ticks that were due
        received   ticks that arrived; for the master, ticks that it sent
        onsets     positions of the rhythm (sixteenth notes or triplets) at which
                   at least one hit was to begin; a hit is a drum stroke or a note
        found      onsets that were found in the recording; with a SoundFont
                   whose sounds decay slowly, a few more or fewer than were played
        clock      time between the same tick on this peer and on the first peer
        sound      time between the same onset in this recording and in that of the
                   first peer
        scheduler  SCHED_FIFO is real-time priority, SCHED_OTHER is normal priority

      Times are in microseconds: p50 is the median, p99 the 99th percentile.

      PHONES
      With `--http 0.0.0.0:8080`, a phone in the same network becomes one more player. The demo prints the address of \
      its web page; a terminal with colours also shows a QR code. Open the address with the phone and press Join: then \
      the rhythm starts. Enter starts the rhythm without a phone. With --http, the default length is 64 bars. The \
      phone plays the rhythm and an instrument. Its activity is added to the total activity. Only the first peer \
      controls the rhythm. The demo makes a random passkey, which nobody needs to type. With --http-open, there is no \
      passkey. The table does not contain the phones.

      EXAMPLES
        tutti demo
        tutti demo --http 0.0.0.0:8080
        tutti demo --peers 8 --bars 4 --bpm 174 --patch pulse --activity 127
        tutti demo --score evening
        tutti demo --output /tmp/demo --json
      """)

  @Option(help: ArgumentHelp("Set the number of peers, 2...16.", valueName: "N"))
  var peers = 4

  @Option(
    help: ArgumentHelp("Set the number of bars, 1...1000. (default: 8; with --http: 64)", valueName: "N"))
  var bars: Int?

  @Option(help: ArgumentHelp("Set the tempo in beats per minute, 20...999.", valueName: "BPM"))
  var bpm = 120.0

  @Option(help: ArgumentHelp("Play this rhythm: a name from `tutti patch list` or a file.", valueName: "PATCH"))
  var patch = PatchLibrary.standard

  @Option(
    help: ArgumentHelp(
      "Play this score once instead of the rhythm, in its own tempo: a name from `tutti score list` or a file. --bars, --bpm and "
        + "--patch then have no effect.", valueName: "SCORE"))
  var score: String?

  @Option(
    help: ArgumentHelp(
      "Keep the activity of the first peer at this value, 0...127. (default: rises from 0 to 127)", valueName: "A"))
  var activity: UInt8?

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use the sounds of this General MIDI SoundFont (SF2 or SF3).", valueName: "FILE"))
  var soundFont = SoundModule.defaultSoundFont

  @Option(help: ArgumentHelp("Write recordings and traces to this folder; it is created if missing.", valueName: "DIR"))
  var output = "tutti-demo"

  @Flag(help: "Print all figures: the differences of the clocks and of the sound in microseconds.")
  var details = false

  @Flag(help: "Print one JSON object instead of the table.")
  var json = false

  @OptionGroup(title: "Web page")
  var web: PageOptions

  /// The number of bars to play.
  var barCount: Int { bars ?? (web.http == nil ? 8 : 64) }

  func validate() throws {
    try check("--peers", peers, in: 2...16, "2 to 16")
    try check("--bars", barCount, in: 1...1000, "1 to 1000")
    if let activity { try check("--activity", activity, in: 0...127, "0 to 127") }
    _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) }
  }

  func run() throws {
    let rhythm = try PatchLibrary.rhythm(patch)
    let tempo = try Tempo(bpm: bpm)
    let piece = try score.map { try DemoScore($0) }
    do {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    } catch {
      throw EngineError("folder \(output): cannot be created (\(error.reason)); give --output a writable folder")
    }
    let terminal = Terminal()
    let hasSoundCard = PCMDevices.canOpen() && (try? PCMDevice("default")) != nil
    let ticks = piece?.ticks ?? Int64(barCount) * rhythm.meter.ticksPerBar
    let interruption = Interruption()
    let signals = TerminationSignals { interruption.raise() }
    defer {
      signals.cancel()
      // The identities of the demo's peers are not used again.
      try? FileManager.default.removeItem(at: DemoProcess.state)
    }
    let page = try DemoPage(self)
    defer { page?.end() }
    if let page { waitForPhone(page, until: interruption, on: terminal) }
    if interruption.isRaised { throw ExitCode(130) }
    let demoPeers = try DemoPeers(
      self, tempo: tempo, ticks: ticks, score: piece, hasSoundCard: hasSoundCard, page: page)
    if !json {
      let sound =
        hasSoundCard
        ? "peer 1 also plays through the sound card"
        : "you do not hear peer 1, because there is no usable sound card (`tutti ports` lists the cards)"
      let music = piece?.name ?? "\(barCount) bar\(barCount == 1 ? "" : "s") of \(patch) at \(bpm) BPM"
      terminal.printLine("\(peers) peers, \(music), recorded in \(output); \(sound)")
    }
    let showProgress = piece.map { progress(of: $0, on: terminal) } ?? progress(of: rhythm, ticks: ticks, on: terminal)
    demoPeers.play(
      until: { interruption.isRaised },
      onProgress: { position in
        if let page, page.update() { showPlayers(page, on: terminal) }
        showProgress(position)
      })
    terminal.clearStatus()
    page?.end()
    let failures = demoPeers.failures + (page?.failure.map { [$0] } ?? [])
    for failure in failures { terminal.printLine("tutti: \(failure)") }
    terminal.flush()
    guard failures.isEmpty else { throw ExitCode.unavailable }
    if interruption.isRaised, DemoPosition(trace: demoPeers.files[0].trace) == nil {
      terminal.printLine("The demo ended before the rhythm began, so there are no figures.")
      throw ExitCode(130)
    }
    let mix = "\(output)/mix.wav"
    try StereoMix.write(try demoPeers.files.map { try SoundFile(path: $0.recording) }, to: mix)
    let report = try DemoReport(
      self, patch: rhythm, score: piece, files: demoPeers.files, mix: mix, phones: page?.maximumPlayers)
    if json { try printJSON(report) } else { print(report, terminator: "") }
    if interruption.isRaised { throw ExitCode(130) }
  }

  /// Shows the address of the page, and waits until a phone has joined or the user wants to start without one.
  private func waitForPhone(_ page: DemoPage, until interruption: Interruption, on terminal: Terminal) {
    page.addresses.show(on: terminal)
    terminal.printLine(
      "The rhythm starts when a phone has opened the address and pressed Join. Press Enter to start it without a phone."
    )
    page.wait { interruption.isRaised }
    if page.players > 0 { showPlayers(page, on: terminal) }
  }

  /// Prints the number of players: one at each peer, and one at each phone.
  private func showPlayers(_ page: DemoPage, on terminal: Terminal) {
    let phones = "\(page.players) \(page.players == 1 ? "phone" : "phones")"
    terminal.printLine("\(peers + page.players) players: \(peers) peers and \(phones)")
  }

  /// Returns the function that shows the progress of a score on a terminal.
  private func progress(of score: DemoScore, on terminal: Terminal) -> (DemoPosition?) -> Void {
    guard terminal.isInteractive else { return { _ in } }
    return { position in
      let percent = max(0, position?.tick ?? 0) * 100 / max(score.ticks, 1)
      terminal.showStatus("\(score.name): \(min(percent, 100)) %")
    }
  }

  /// Returns the function that shows the progress. A terminal shows status lines. If there is no terminal that can show them, the
  /// function prints a line for each change of the layers, or nothing with --json.
  private func progress(of patch: Patch, ticks: Int64, on terminal: Terminal) -> (DemoPosition?) -> Void {
    let display = DemoDisplay(patch, ticks: ticks)
    if terminal.isInteractive { return { terminal.showStatus(display.lines(at: $0, size: terminal.size)) } }
    if json { return { _ in } }
    var shown: [Layer]?
    return { position in
      guard let position, display.sounding(at: position.activity) != shown else { return }
      shown = display.sounding(at: position.activity)
      terminal.printLine(display.plainLine(at: position))
    }
  }
}
