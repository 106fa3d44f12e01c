import Audio
import Ensemble
import MusicalTime
import PeerProtocol
import Realtime

/// The outputs for hits and notes: a sound card, a recording, both, or none. Without an output, hits are only counted. Each
/// output has its own audio thread and ``SoundModule``.
final class SoundOutputs {
  /// How long before its instant a hit must be passed to the output; final after ``start(name:rings:)``.
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
  private var reportedUnderruns: Instant?

  /// Opens the sound card and loads the SoundFont. Nothing plays yet.
  ///
  /// - Throws: ``PCMError`` or ``AudioFileError``.
  init(_ configuration: PeerConfiguration) throws {
    switch configuration.card {
    case .none: device = nil
    case .named(let name): device = try PCMDevice(name)
    case .anyThereIs:
      // Opening a device would block for long if its sound server hangs.
      device = PCMDevices.canOpen() ? try? PCMDevice("default") : nil
    }
    isMissing = configuration.card == .anyThereIs && device == nil
    latency = configuration.latency
    path = configuration.recording
    lead = max(EnsembleState.standardSoundLead, (device?.lead ?? .zero) + latency + Self.margin)
    if let device { cardModule = try SoundModule(soundFont: configuration.soundFont, grid: device.grid) }
    if path != nil { recordingModule = try SoundModule(soundFont: configuration.soundFont) }
  }

  /// The tolerated lateness of the control and clock threads, in addition to the delay of the output.
  private static let margin = Nanoseconds.milliseconds(15)

  /// Whether the hits are audible, now or in a recording.
  var isHeard: Bool { device != nil || path != nil }
  /// Whether there are two outputs.
  var areTwo: Bool { device != nil && path != nil }
  /// The state of the sound card for the player.
  var summary: String? {
    if isMissing { return "sound card: none is usable, so nothing is audible; `tutti ports` lists the sound cards" }
    return device.map { "sound: \($0.summary)" }
  }
  /// The number of the recording's first frame on the grid.
  var firstFrame: Int64 { other?.firstFrame ?? 0 }
  /// When the recording's first frame sounds.
  var firstInstant: Instant { other?.firstInstant ?? Instant(nanoseconds: 0) }

  /// Opens the recording and starts the audio threads. The sound card reads its hits from `rings.sounds`. The recording reads
  /// them from `rings.recorded`, or from `rings.sounds` if there is no sound card.
  ///
  /// - Parameter name: the name of the peer.
  /// - Throws: ``AudioFileError``; no file remains then.
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

  /// Measures the delay of a sound server for a second and uses the largest value. A sound server reports its delay only
  /// while it plays, and after its buffers are full.
  private func awaitServer() {
    let end = MonotonicClock.now + .seconds(1)
    while MonotonicClock.now < end {
      MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(20))
      if let state = card?.cardState { lead = max(lead, state.lead + Self.margin) }
    }
  }

  /// Returns the warning for the player that is due at `now`, if any.
  func warning(at now: Instant) -> String? {
    guard let device, let state = card?.cardState else { return nil }
    let before = status
    status = state.status
    switch (before, status) {
    case (.playing, .lost):
      return "sound card \(device.name): lost (\(state.reason ?? "unknown reason")); the rhythm continues without it"
    case (.lost, .lost) where before != status:
      return "sound card \(device.name): \(state.reason ?? "unknown reason"); trying again"
    case (.lost, .playing): return "sound card \(device.name): available again"
    default: break
    }
    // At most once a minute, because underruns can be frequent.
    if state.underruns > underruns, reportedUnderruns.map({ now - $0 >= .seconds(60) }) ?? true {
      defer { (underruns, reportedUnderruns) = (state.underruns, now) }
      return "sound card \(device.name): \(state.underruns - underruns) underruns; the sound has gaps"
    }
    guard !isSlow, status == .playing, state.lead > lead else { return nil }
    isSlow = true
    return
      "sound card \(device.name): its delay has increased to \(Int(state.lead.milliseconds)) ms, so hits are late; "
      + "restart the peer to measure the delay again"
  }

  /// The counters of the sound card; without one, those of the recording.
  var counters: SoundCounters {
    var counters = (card ?? other)?.counters ?? SoundCounters()
    if card != nil, let recorded = other?.counters {
      counters.lostFrames = recorded.lostFrames
      counters.clippedSamples += recorded.clippedSamples
    }
    return counters
  }

  /// The state of the sound card; nil if there is none.
  var cardState: CardState? { card?.cardState }

  /// Ends the threads at `instant`. ``finish()`` completes the recording.
  ///
  /// - Returns: false if a thread hangs and was abandoned: see ``AudioThread/stop(after:)``.
  @discardableResult
  func stop(after instant: Instant) -> Bool {
    let cardHasEnded = card?.stop(after: instant) ?? true
    let otherHasEnded = other?.stop(after: instant) ?? true
    return cardHasEnded && otherHasEnded
  }

  /// Completes the recording.
  ///
  /// - Throws: ``AudioFileError`` if the recording is not complete on the disk.
  func finish() throws(AudioFileError) { try recording?.finish() }

  /// Removes the recording, because the start of the peer has failed.
  func abandon() { recording?.abandon() }
}
