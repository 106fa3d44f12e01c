import Audio
import Ensemble
import MusicalTime
import PeerProtocol
import Realtime

/// Where a peer's hits, and the notes that are played, are heard: through a sound card, in a recording, in both, or
/// nowhere, where they are only counted. Each has an audio thread and a ``SoundModule`` of its own.
final class SoundOutputs {
  /// How far ahead of its instant a hit is to be handed over; known once the outputs have been started.
  private(set) var lead: Nanoseconds
  private let device: PCMDevice?
  private let latency: Nanoseconds
  private let isMissing: Bool
  private let path: String?
  private var cardModule: SoundModule?
  private var recordingModule: SoundModule?
  private var recording: WAVOutput?
  private var card: AudioThread?
  private var other: AudioThread?
  private var status = CardState.Status.playing
  private var isSlow = false
  private var underruns: Int64 = 0
  private var toldOfUnderruns: Instant?

  /// Opens the sound card and loads what sounds; nothing plays yet.
  ///
  /// - Throws: ``PCMError`` or ``AudioFileError``.
  init(_ configuration: PeerConfiguration) throws {
    switch configuration.card {
    case .none: device = nil
    case .named(let name): device = try PCMDevice(name)
    case .anyThereIs:
      // A sound server that hangs would hold the opening up for long.
      device = PCMDevices.canOpen() ? try? PCMDevice("default") : nil
    }
    isMissing = configuration.card == .anyThereIs && device == nil
    latency = configuration.latency
    path = configuration.recording
    lead = max(Ensemble.standardSoundLead, (device?.lead ?? .zero) + latency + Self.margin)
    if let device { cardModule = try SoundModule(soundFont: configuration.soundFont, grid: device.grid) }
    if path != nil { recordingModule = try SoundModule(soundFont: configuration.soundFont) }
  }

  /// What the control and clock threads may be late by on top of what the sound needs.
  private static let margin = Nanoseconds.milliseconds(15)

  /// Whether anybody hears the hits, now or later.
  var isHeard: Bool { device != nil || path != nil }
  /// Whether the hits go to two places.
  var areTwo: Bool { device != nil && path != nil }
  /// What to tell the player of the sound card.
  var summary: String? {
    if isMissing { return "no sound card that can be used, so nothing is heard; `tutti ports` lists what there is" }
    return device.map { "sound: \($0.summary)" }
  }
  /// The number of the recording's first frame on the grid, and when it sounds.
  var firstFrame: Int64 { other?.firstFrame ?? 0 }
  var firstInstant: Instant { other?.firstInstant ?? Instant(nanoseconds: 0) }

  /// Opens the recording of a peer called `name` and starts the audio threads. The card's hits come by `rings.sounds`; the
  /// recording's too where there is no card, otherwise by `rings.recorded`.
  ///
  /// - Throws: ``AudioFileError``; nothing is left behind then.
  func start(name: String, rings: ClockRings) throws(AudioFileError) {
    if let path { recording = try WAVOutput(path: path, name: name) }
    if let device {
      card = AudioThread(
        events: rings.sounds, module: cardModule.take(), sink: .card(device, latency: latency), grid: device.grid)
      if device.usesSoundServer { awaitServer() }
    }
    if recording != nil || device == nil {
      other = AudioThread(
        events: device == nil ? rings.sounds : rings.recorded, module: recordingModule.take(),
        sink: recording.map { .wav($0) } ?? .none)
    }
  }

  /// A sound server tells how long it takes only while it plays, and not before its buffers are full: for a second the
  /// longest it tells counts.
  private func awaitServer() {
    let end = MonotonicClock.now + .seconds(1)
    while MonotonicClock.now < end {
      MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(20))
      if let state = card?.cardState { lead = max(lead, state.lead + Self.margin) }
    }
  }

  /// What there is to tell the player since it was asked last.
  func news(at now: Instant) -> String? {
    guard let device, let state = card?.cardState else { return nil }
    let before = status
    status = state.status
    switch (before, status) {
    case (.playing, .gone):
      return "sound card \(device.name) is gone (\(state.reason ?? "no reason given")); the rhythm goes on without it"
    case (.gone, .gone) where before != status:
      return "sound card \(device.name): \(state.reason ?? "no reason given"); trying on"
    case (.gone, .playing): return "sound card \(device.name) is back"
    default: break
    }
    // Once a minute at most: where it crackles all the time it is known.
    if state.underruns > underruns, toldOfUnderruns.map({ now - $0 >= .seconds(60) }) ?? true {
      defer { (underruns, toldOfUnderruns) = (state.underruns, now) }
      return "sound card \(device.name) ran empty \(state.underruns - underruns) times; what sounded has a gap there"
    }
    guard !isSlow, status == .playing, state.lead > lead else { return nil }
    isSlow = true
    return "sound card \(device.name) has become slower, \(Int(state.lead.milliseconds)) ms, so that hits come late; "
      + "leave and start again, and it is measured anew"
  }

  /// The card's where there is one.
  var counters: SoundCounters {
    var counters = (card ?? other)?.counters ?? SoundCounters()
    if card != nil, let recorded = other?.counters {
      counters.lostFrames = recorded.lostFrames
      counters.clippedSamples += recorded.clippedSamples
    }
    return counters
  }

  /// How the sound card is doing, nil where there is none.
  var cardState: CardState? { card?.cardState }

  /// Ends the threads at `instant`; what was recorded is kept by ``finish()``. false when one hangs and was given up, see
  /// ``AudioThread/stop(after:)``.
  @discardableResult
  func stop(after instant: Instant) -> Bool {
    let cardHasEnded = card?.stop(after: instant) ?? true
    let otherHasEnded = other?.stop(after: instant) ?? true
    return cardHasEnded && otherHasEnded
  }

  /// - Throws: ``AudioFileError`` when the recording is not complete on the disk.
  func finish() throws(AudioFileError) { try recording?.finish() }

  /// Removes the recording, because the start-up has failed.
  func abandon() { recording?.abandon() }
}
