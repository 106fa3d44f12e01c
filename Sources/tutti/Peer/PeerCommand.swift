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

/// The subcommand `tutti peer`.
struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Run one peer, alone or with others.",
    discussion: """
      KEYS
        space     start the rhythm and become the master; on the master: stop it
        n         count in for one bar, then start the rhythm
        c         continue at the position where the rhythm stopped
        < >       move this position back or forward by one bar
        + -       increase or decrease the tempo by 1 BPM
        b         tap quarter notes, at least three, to set the tempo
        0 ... 9   set your activity, from 0 to 127: how dense the rhythm should be
        p         play the next rhythm of `tutti patch list`
        i         choose the next instrument of `tutti patch list`
        x         strike the instrument
        [ ]       move the control `tilt forward` of the instrument back or forward
        s         silence the rhythm and all players; again: let them sound
        h         offer the role of master to all other peers
        t         take the role of master that was offered in the last 30 s
        tab       send your notes to the next peer; after the last peer, to all
        w         list the connected peers with their channels and weights
        :         enter a command
        q         leave

      While a rhythm plays, only the master can stop it, change its tempo and its parts, silence players, and offer the role \
      of master.

      A weight, 0...100, states how much one peer influences another: 25 for each kind of message (rhythm, notes, \
      modification, activity) that the first peer sends and that the gate of the second peer lets in.

      COMMANDS
      Enter a command after a colon. If standard input is not a terminal, each line is a command. PEER is the name or the \
      identity of a remote peer. The identity, 16 hexadecimal digits, is printed by --json and by `tutti ports --json`.

        start, stop, continue       start, stop or continue the rhythm
        tempo BPM [over BEATS]      set the tempo, 20...999, at once or over BEATS quarter notes
        count-in [BARS]             start the rhythm after 1 or 2 bars of clicks
        activity A                  set your activity, 0...127
        total-activity METHOD       combine activities: sum, mean or maximum
        patch NAME                  play another rhythm from the next bar
        instrument NAME|none        choose an instrument, or play your notes unchanged
        save-patch NAME             save the current rhythm as NAME.yaml in the folder of rhythms
        part PART PERCENT|on|off    set the level of the drums, bass, guitar or keys,
                                    0...100, or start or stop them, from the next bar
        mute PEER, unmute PEER      silence the notes of PEER at all peers, or let them sound
        quiet, quiet off            silence the rhythm and all players, or let them sound
        loudness PERCENT            set the loudness of the rhythm at this peer only, 0...100
        offer [PEER]                offer the role of master to PEER or to all
        take                        take the offered role of master
        gate RULE                   open or close gates, see --gate
        led-by PEER|anyone          let only PEER control the rhythm, see --led-by
        hear PEER|all [PERCENT]     let notes of PEER or of all sound here, see --hear
        hear none                   let no notes of other Tutti peers sound here
        send-to PEER|all            send your notes to PEER or to all
        note NOTE [VELOCITY]        play a note, 0...127; velocity 1...127, or 100
        release NOTE                end a note, 0...127
        control CONTROLLER VALUE    set a MIDI controller; both numbers 0...127
        shape PEER CONTROLLER VALUE change the sound of the instrument of PEER; both numbers 0...127
        pitches from PEER|none      let the notes of PEER set the pitches of your instrument
        phrase record [BARS]        record your notes from the next bar, for BARS bars or 2
        phrase send PEER            send the recorded phrase to PEER
        phrase play, phrase stop    repeat the phrase that you have received, or recorded; end it
        phrase vary                 repeat another variation of the phrase
        peers                       list the peers, like the key w
        leave                       leave the other peers and end the program

      RHYTHM
      All peers play the rhythm patch of the master. Only the master needs the file: the other peers receive its text. A peer \
      plays it from the next bar and keeps it when the master changes. You can choose a rhythm if this peer is the master, if \
      no rhythm is playing, with --own-patch, or if the rhythm of the master is too long to share (32 KiB). A received rhythm \
      is not stored; save-patch stores it.

      When you save the file of your rhythm, the new version plays from the next bar, unless this peer plays the rhythm of a \
      master. If the new version has errors, they are printed, and the previous one keeps playing.

      INSTRUMENT
      With --instrument, the notes that you play on the port `in` of --midi or with the key x control an instrument. An \
      instrument with a figure, such as tilt-harp, plays by itself while a rhythm plays. A free instrument, such as kind-keys, \
      plays one note for each note that you play, in time with the rhythm. The control `tilt forward` is controller 1 (the \
      modulation wheel, or the keys [ and ]), `tilt sideways` is controller 74, and the force is the velocity. The other peers \
      get the notes of the instrument. They do not need its file.

      PLAYING TOGETHER
      Your notes sound on this device. They sound on the device of another player only if that player hears you. The notes of \
      RTP-MIDI devices without Tutti always sound here, because such a device has no sound of its own. With `hear`, the \
      notes of other players sound here too, by default with 60 % of their velocity. Notes that you do not hear still reach --record and the port `notes` of --midi.

      With `shape`, you change the sound of another player's instrument: controller 1 is `tilt forward`, 74 is `tilt sideways`. \
      A controller that you send to the port `in` on the channel of another player does the same. That player sees who does \
      it, and can close the gate `modification`.

      With `pitches from PEER`, the notes that PEER plays do not sound here. Each of your actions plays one of the keys that PEER \
      holds: the newest first, then the others in turn. When PEER holds no key, your actions play the key that PEER \
      released last.

      A phrase is a melody on the steps of the rhythm. One player records it and sends it to another player, who repeats it in \
      time with the rhythm. Each variation moves the phrase within the scale of the instrument, or within its own notes, and \
      omits some notes; some variations are reversed.

      MIDI FILE
      With --record the peer writes a Standard MIDI File of format 1 with 3840 ticks per quarter note. The first track has the \
      tempo and the meter, the second one the drum hits (channel 10). The bass, the guitar and the keys of a style have tracks on channels 14 \
      to 16. Each player, including you, has a track with its name. With more than eleven players, a player can have the \
      channel of a part. Notes are at the position of the rhythm at which this peer plays or receives them. While no rhythm plays, time \
      advances at the last tempo. The pause before a rhythm is lengthened by less than a bar, so that the rhythm begins at its \
      place in a bar. The file is written every few seconds \
      and at the end. After a crash, at most the last five seconds are missing, or more if a write takes longer than 0.15 s. \
      While the file is written, FILE.partial is beside it.

      EXTERNAL CLOCK
      With --clock-from the peer is the master and follows the external MIDI clock, including Start, Stop, Continue and \
      Song Position. If the option is repeated, the peer follows the first clock that it receives. When that clock becomes \
      silent, the peer follows another one.

      EXAMPLES
        tutti peer
        tutti peer --audio alsa:hw:1,0 --audio wav:me.wav
        tutti peer --name Ada --connect 192.168.1.20:5004
        tutti peer --start --bpm 96 --duration 60 --connect studio.local:5004
        tutti peer --connect 192.168.1.20:5004 --trace ada.trace --json
        tutti peer --instrument tilt-harp --midi
        tutti peer --name Ada --record take.mid
        tutti peer --clock-from "TR-8S"
        tutti peer --clock-from rtp:192.168.1.30:5004
        tutti peer --policy contacts --no-journal "stage box"
        tutti peer --name Ben --hear Ada --hear Cleo=30
        tutti peer --name Ben --led-by Ada --gate "Cleo:notes,modification=closed"
        tutti peer --name Ada --restore
        tutti peer --passkey-file band.txt
      """)

  @Option(help: ArgumentHelp("Set the name that other peers see. (default: the host name)", valueName: "NAME"))
  var name: String?

  @OptionGroup(title: "Network")
  var network: NetworkOptions

  @OptionGroup(title: "Ensemble")
  var ensemble: EnsembleOptions

  @Flag(
    help: ArgumentHelp(
      "Restore the patch, tempo, activity, gates and connections that the peer with this --name had when it crashed. If it "
        + "was the master, it is the master again, unless another peer has become the master in the meantime. Other options "
        + "replace restored values.")
  )
  var restore = false

  @Flag(help: "Start the rhythm when all --connect peers are connected, at the latest after 5 s.")
  var start = false

  @Option(
    help: ArgumentHelp("Set the tempo in beats per minute, 20...999. (default: from the patch)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Play this rhythm: a name from `tutti patch list` or a file. While another peer is the master, its rhythm plays. "
        + "(default: \(PatchLibrary.standard))",
      valueName: "PATCH"))
  var patch: String?

  @Option(
    help: ArgumentHelp(
      "Choose an instrument: a name from `tutti patch list` or a file. (default: your notes are played unchanged)",
      valueName: "INSTRUMENT"))
  var instrument: String?

  @Flag(help: "Play your own rhythm, even while another peer is the master.")
  var ownPatch = false

  @Option(help: ArgumentHelp("Set your activity at the start, 0...127. (default: 64)", valueName: "A"))
  var activity: UInt8?

  @Option(
    help: ArgumentHelp(
      "Play through the default sound card (alsa) or another one (alsa:DEVICE, see `tutti ports`), record to a file "
        + "(wav:FILE), or do neither (none). Give the option twice to play and to record. "
        + "(default: alsa, as soon as there is a sound card)",
      valueName: "OUTPUT"))
  var audio: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep this number of frames ready in the sound card, 64...1024, a multiple of 64. With fewer frames, notes sound "
        + "sooner; with more frames, a busy machine causes fewer gaps. Has no effect on a sound server.",
      valueName: "FRAMES"))
  var period = PCMDevice.defaultPeriod

  @Option(
    help: ArgumentHelp(
      "Play this much earlier, because devices after the sound card (Bluetooth, converters) add this delay, "
        + "0...1000 ms.",
      valueName: "MS"))
  var latency = 0.0

  @Option(
    name: .customLong("soundfont"),
    help: ArgumentHelp("Use the sounds of this General MIDI SoundFont.", valueName: "FILE"))
  var soundFont = DrumLanes.defaultSoundFont

  @Option(help: ArgumentHelp("Announce changes of the rhythm this long in advance, 70...2000 ms.", valueName: "MS"))
  var leadTime: Double = 100

  @Flag(help: "Open three ALSA sequencer ports: `clock` (output), `notes` (output) and `in` (input).")
  var midi = false

  @Option(
    help: ArgumentHelp(
      "Follow an external MIDI clock: the name or number of an ALSA port (see `tutti ports`), which implies --midi, or "
        + "rtp:HOST[:PORT] for an RTP-MIDI device, which implies --connect. Repeatable.",
      valueName: "SOURCE"))
  var clockFrom: [String] = []

  @Option(
    help: ArgumentHelp(
      "With --start, stop the rhythm after S seconds and leave. Without --start, leave S seconds after the peer was "
        + "started. (default: no limit)",
      valueName: "S"))
  var duration: Double?

  @Option(
    help: ArgumentHelp(
      "Write a trace to this file, for `tutti measure sync`: one JSON line per tick.", valueName: "FILE"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Record what is played to this MIDI file: the rhythm and each player in a track of its own, with the tempo. An existing "
        + "file is replaced.", valueName: "FILE"))
  var record: String?

  @Flag(help: "Print events as JSON lines on standard output.")
  var json = false

  func validate() throws {
    if let bpm { _ = try usage { () throws(TempoError) in try Tempo(bpm: bpm) } }
    if let name, name.contains(where: \.isNewline) {
      throw ValidationError("--name \(name.debugDescription): has more than one line; give one line of text")
    }
    if let name, name.trimmingCharacters(in: .whitespaces).isEmpty {
      throw ValidationError("--name \(name.debugDescription): is blank; give one line of text")
    }
    if let trace, audio.contains("wav:" + trace) {
      throw ValidationError("--trace \(trace): is also the recording; give --trace another file")
    }
    if let record, trace == record || audio.contains("wav:" + record) {
      throw ValidationError(
        "--record \(record): is also the \(trace == record ? "trace" : "WAV file"); give --record another file")
    }
    if let activity, activity > 127 {
      throw ValidationError("--activity \(activity): out of range; give 0 to 127")
    }
    // The audio thread gets each step 50 ms in advance. A stop that is announced later could not cancel these steps. A lead time
    // of 70 ms leaves 20 ms for the announcement to arrive.
    guard (70...2000).contains(leadTime) else {
      throw ValidationError("--lead-time \(leadTime): out of range; give 70 to 2000 ms")
    }
    if let duration, !(0.001...1e7).contains(duration) {
      throw ValidationError("--duration \(duration): out of range; give 0.001 to 10000000 seconds")
    }
    guard PCMDevice.periods.contains(period), period.isMultiple(of: StereoBlock.length) else {
      throw ValidationError("--period \(period): not a period; give a multiple of 64 from 64 to 1024 frames")
    }
    guard (0...1000).contains(latency) else {
      throw ValidationError("--latency \(latency): out of range; give 0 to 1000 ms")
    }
    for case .peer(let name) in clockFrom.map(ClockSource.init) {
      try usage { () throws(TransportError) in try SocketAddress.parts(of: name) }
    }
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

  func run() throws {
    let (terminal, output) = (Terminal(), OutputWriter.events())
    try reportingErrors {
      defer {
        terminal.flush()
        output.flush()
      }
      let name = name ?? ProcessInfo.processInfo.hostName
      let log = Logger(label: "tutti") { _ in TerminalLog(terminal) }
      let store = try StateStore(name: name, log: log)
      let saved = restore ? store.restoreSession(log) : nil
      let patchName = self.patch ?? saved?.patch ?? PatchLibrary.standard
      let patchVersion = PatchSelector.version(of: patchName, .rhythm)
      let instrumentVersion = instrument.flatMap { PatchSelector.version(of: $0, .instrument) }
      let patch = try PatchLibrary.rhythm(patchName)
      let tempo = try bpm.map { try Tempo(bpm: $0) } ?? saved?.tempo ?? patch.tempo
      var configuration = PeerConfiguration(
        name: name, tempo: tempo, patch: patch, patchName: patchName,
        soundFont: soundFont, command: CommandLine.arguments.joined(separator: " "))
      configuration.restored = saved
      if let saved { configuration.gates = saved.gates }
      try network.apply(to: &configuration) { log.warning("\($0)") }
      try ensemble.apply(to: &configuration)
      configuration.start = start
      configuration.ownPatch = ownPatch
      if let instrument {
        (configuration.instrument, configuration.instrumentName) = (try PatchLibrary.instrument(instrument), instrument)
      }
      configuration.activity = activity ?? saved?.activity ?? 64
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
      configuration.lead = Nanoseconds(Int64((leadTime * 1e6).rounded()))
      configuration.duration = duration.map { Nanoseconds(Int64(($0 * 1e9).rounded())) }
      configuration.trace = trace
      configuration.midiRecording = record
      /// Keeps the file of a recording that a crash or a new identity has ended.
      func keepRecording() {
        guard let record, let kept = PreviousRecording.keep(record) else { return }
        log.notice("\(record): the previous recording is now \(kept)")
      }
      if saved != nil { keepRecording() }

      let mailbox = Mailbox()
      // Opening the peer can block for a long time in a sound server. Until it has returned, Ctrl-C ends the program.
      var peer = try Peer(configuration, store: store, mailbox: mailbox, log: log)
      let signals = TerminationSignals { mailbox.post(.leave) }
      defer { signals.cancel() }
      printReady(peer, configuration, terminal, output)
      let selectors = PatchSelectors(
        rhythm: PatchSelector(.rhythm, patchName, patchVersion, post: mailbox.post, terminal: terminal),
        instrument: PatchSelector(
          .instrument, instrument, instrumentVersion, post: mailbox.post, terminal: terminal))
      let input = KeyboardInput(mailbox, selectors, on: terminal)
      defer { input.restoreTerminal() }
      func run() throws -> Peer.Outcome {
        try peer.run(
          status: terminal.isInteractive
            ? { terminal.showStatus(StatusDisplay.lines($0, size: terminal.size)) } : nil,
          watch: json ? { if let line = EventLine($0) { output.write(json: line) } } : nil)
      }
      if try run() == .renewedIdentity {
        // The peer starts again, once. The rhythm of the saved session belongs to the former identity.
        configuration.renewsIdentity = false
        configuration.restored?.rhythm = nil
        (configuration.patch, configuration.patchName) = (peer.patch, peer.chosenPatchName)
        keepRecording()
        peer = try Peer(configuration, store: store, mailbox: mailbox, log: log)
        printReady(peer, configuration, terminal, output)
        _ = try run()
      }
      terminal.clearStatus()
      if json { output.write(json: peer.summary) }
    }
  }

  /// Prints that the peer runs: a JSON line with its identity, or its port and the keys.
  private func printReady(
    _ peer: Peer, _ configuration: PeerConfiguration, _ terminal: Terminal, _ output: OutputWriter
  ) {
    guard json else {
      return terminal.printLine("\(configuration.name): port \(peer.port); \(keyHelp(terminal))")
    }
    output.write(
      json: Ready(
        name: configuration.name, identity: "\(peer.identity)", port: peer.port, at: MonotonicClock.now.nanoseconds))
  }

  /// The most important keys, for the first line of the output.
  private func keyHelp(_ terminal: Terminal) -> String {
    terminal.readsKeys ? "space: start/stop, +/-: tempo, 0-9: activity, w: peers, q: leave" : "Ctrl-C: leave"
  }
}
