import Audio
import Ensemble
import Glibc
import MusicalTime
import PeerProtocol
import Realtime

/// The outputs for hits and notes: a sound card, a recording, both, or none. Without an output, hits are only counted. Each
/// output has its own audio thread and ``SoundModule``.
final class SoundOutputs {
  /// How long before its due instant a hit must be passed to the outputs. ``raiseLead()`` increases this time.
  private(set) var lead: Nanoseconds
  /// The sound card; nil if there is none.
  private let device: PCMDevice?
  /// The delay after the sound card, by which the sound card plays the rhythm earlier.
  private(set) var latency: Nanoseconds
  /// The path of the recording; nil if there is none.
  private let path: String?
  // The synthesizers, until ``start(name:rings:)`` passes them to the audio threads. `recording` is nil before the start and without a
  // recording.
  private var cardModule: SoundModule?
  private var recordingModule: SoundModule?
  private var recording: WAVOutput?
  /// Supplies the modules with lanes and samples while they play: for the sound card, and for the recording.
  private let supplies = [SoundSupply(), SoundSupply()]
  /// The audio thread of the sound card.
  private var cardThread: AudioThread?
  /// The audio thread without a sound card: it renders the recording, or only counts hits if there is no output.
  private var cardlessThread: AudioThread?

  // The following properties are the state of ``warning(at:)``.
  /// The value of ``lead`` at the end of ``start(name:rings:)``, and the latency that it contains.
  private var initialLead = Nanoseconds.zero
  private let initialLatency: Nanoseconds
  /// The status of the sound card at the last call of ``warning(at:)``.
  private var status: CardState.Status
  /// Whether an increased delay was reported.
  private var hasReportedDelay = false
  /// The number of underruns that were reported.
  private var reportedUnderruns: Int64 = 0
  /// The state of the recording of which the player was informed: the number of its files, and whether it has failed.
  private var reportedFiles = 1
  private var hasReportedFailure = false
  /// The instant of the last report of underruns.
  private var underrunReport: Instant?

  /// Opens the sound card and loads the SoundFont. Nothing plays yet. If the configured sound card is the default device or a sound server
  /// and is missing, it is used when it appears.
  ///
  /// - Throws: ``PCMError`` or ``AudioFileError``.
  init(_ configuration: PeerConfiguration) throws {
    switch configuration.card {
    case .none: device = nil
    case .named(let name): device = try Self.open(name, period: configuration.period)
    case .defaultIfUsable:
      // If the sound server of a device hangs, opening the device can block for ever. `canOpen` waits for two seconds at most.
      let opened = PCMDevices.canOpen() ? try? PCMDevice("default", period: configuration.period) : nil
      device = opened ?? PCMDevice(awaiting: "default", period: configuration.period)
    }
    status = device?.isAwaited == true ? .awaited : .playing
    (latency, initialLatency) = (configuration.latency, configuration.latency)
    path = configuration.recording
    lead = max(EnsembleState.standardSoundLead, (device?.lead ?? .zero) + latency + Self.margin)
    let (font, programs) = (configuration.soundFont, Set(configuration.patch.parts.map(\.program)))
    if let device {
      cardModule = try SoundModule(soundFont: font, grid: device.grid, supply: supplies[0], programs: programs)
    }
    if path != nil { recordingModule = try SoundModule(soundFont: font, supply: supplies[1], programs: programs) }
  }

  /// Opens the device `name`. If it is the default device or a sound server and is missing, returns a device that waits for it.
  private static func open(_ name: String, period: Int64) throws(PCMError) -> PCMDevice {
    do {
      return try PCMDevice(name, period: period)
    } catch {
      guard error.isAbsence, PCMDevices.servers.contains(where: { $0.name == name }) else { throw error }
      return PCMDevice(awaiting: name, period: period)
    }
  }

  /// How late the control and clock threads may be. ``lead`` contains this margin in addition to the delay of the output.
  private static let margin = Nanoseconds.milliseconds(15)
  /// The upper limit of ``lead`` while a device plays. A device that reports a longer delay does not measure it correctly.
  private static let maximumLead = Nanoseconds.seconds(2)

  /// Whether the hits are audible, now or in a recording.
  var isHeard: Bool { path != nil || cardState?.status == .playing }
  /// Whether there are two outputs: a sound card and a recording.
  var hasTwoOutputs: Bool { device != nil && path != nil }
  /// Whether there is a sound card, or one is used as soon as it appears.
  var hasCard: Bool { device != nil }
  /// The description of the sound card for the player; nil if there is none.
  var summary: String? { device.map { "sound: \($0.summary)" } }
  /// The number of the recording's first frame: see ``FrameGrid``.
  var firstFrame: Int64 { cardlessThread?.firstFrame ?? 0 }
  /// When the recording's first frame sounds.
  var firstInstant: Instant { cardlessThread?.firstInstant ?? Instant(nanoseconds: 0) }

  /// Opens the recording and starts the audio threads. The sound card reads its events from `rings.first`. The recording reads them
  /// from `rings.recording`, or from `rings.first` if there is no sound card.
  ///
  /// - Parameter name: the name of the peer.
  /// - Throws: ``AudioFileError``. In this case, no file remains.
  func start(name: String, rings: SoundRings) throws(AudioFileError) {
    if let path { recording = try WAVOutput(path: path, name: name) }
    if let device {
      cardThread = AudioThread(
        events: rings.first, module: cardModule.take(), sink: .card(device, latency: latency), grid: device.grid)
      if device.usesSoundServer { measureServerDelay() }
    }
    if recording != nil || device == nil {
      cardlessThread = AudioThread(
        events: device == nil ? rings.first : rings.recording, module: recordingModule.take(),
        sink: recording.map { .wav($0) } ?? .none)
    }
    initialLead = lead
  }

  /// Loads the samples of programs, 0...127, soon, because notes of these programs will play.
  func prepare(_ programs: Set<UInt8>) {
    for supply in supplies where !programs.isEmpty { supply.prepare(programs) }
  }

  /// Measures the delay of a sound server for a second and uses the largest value. A sound server reports its delay only
  /// while it plays, and after its buffers are full.
  private func measureServerDelay() {
    let end = MonotonicClock.now + .seconds(1)
    while MonotonicClock.now < end {
      MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(20))
      raiseLead()
    }
  }

  /// Sets the delay after the sound card, and increases ``lead`` if necessary.
  func set(latency new: Nanoseconds) {
    latency = new
    cardThread?.set(latency: new)
    // The state that the audio thread has published last can contain the former latency.
    guard let state = cardThread?.cardState, state.status == .playing else { return }
    lead = max(lead, min(state.lead - state.latency + new + Self.margin, Self.maximumLead))
  }

  /// Increases ``lead`` if the delay of the sound card has increased: a sound server needs more frames after a stall, or a
  /// device has appeared. Returns whether ``lead`` has increased.
  @discardableResult
  func raiseLead() -> Bool {
    guard let state = cardThread?.cardState, state.status == .playing else { return false }
    // The lead of the card state contains the latency. The lead of the device, which the initializer uses, does not.
    let needed = min(state.lead + Self.margin, Self.maximumLead)
    guard needed > lead else { return false }
    lead = needed
    return true
  }

  /// Returns the warning for the player that is due at `now`, if any.
  func warning(at now: Instant) -> String? {
    guard let device, let state = cardThread?.cardState else { return nil }
    let previousStatus = status
    status = state.status
    // ENOTSUP: the device has appeared and does not support the parameters that this peer needs, such as the sample rate. At the next
    // start, the peer selects parameters that the device supports, or reports why there are none.
    let needsRestart = status == .lost(code: -ENOTSUP)
    switch (previousStatus, status) {
    case (.playing, .lost):
      let reason = state.reason ?? "unknown reason"
      let remedy = needsRestart ? "; start this peer again" : ", and this peer tries again"
      return "sound card \(device.name): lost (\(reason)); the rhythm continues without it\(remedy)"
    // The status of a lost card contains the error code, so a different status is a new reason.
    case (.lost, .lost) where previousStatus != status:
      let remedy = needsRestart ? "start this peer again" : "trying again"
      return "sound card \(device.name): \(state.reason ?? "unknown reason"); \(remedy)"
    // The player knows from the start that there is no sound card (``summary``).
    case (.awaited, .lost) where state.isAbsent: return nil
    case (.awaited, .lost):
      let remedy = needsRestart ? "start this peer again" : "waiting for it"
      return "sound card \(device.name): \(state.reason ?? "unknown reason"); \(remedy)"
    case (.lost, .playing), (.awaited, .playing):
      return "sound card \(device.name): available \(state.losses > 0 ? "again" : "now")"
    default: break
    }
    // At most once a minute, because underruns can be frequent.
    if state.underruns > reportedUnderruns, underrunReport.map({ now - $0 >= .seconds(60) }) ?? true {
      defer { (reportedUnderruns, underrunReport) = (state.underruns, now) }
      // The period has no effect on a sound server. A device that was missing at the start can belong to a sound server.
      let period = device.usesSoundServer || device.isAwaited ? "" : "increase --period, "
      return "sound card \(device.name): the sound has gaps (\(state.underruns - reportedUnderruns) underruns); "
        + "close other programs, \(period)or run `tutti doctor`"
    }
    guard !hasReportedDelay, status == .playing, state.lead - state.latency > initialLead - initialLatency else {
      return nil
    }
    hasReportedDelay = true
    return "sound card \(device.name): its delay has increased to \(Int(state.lead.milliseconds)) ms; "
      + "this peer now passes hits to the sound card earlier"
  }

  /// Reports the failure of the recording once, and returns a notice for each further file of the recording.
  func takeRecordingNotices(_ failures: FileFailures) -> [String] {
    guard let recording else { return [] }
    if !hasReportedFailure, let failure = recording.failure {
      hasReportedFailure = true
      failures.report(.wav, "\(failure)")
    }
    let paths = recording.paths
    defer { reportedFiles = paths.count }
    return zip(paths, paths.dropFirst()).dropFirst(reportedFiles - 1).map {
      "\($0): is complete, because a WAV file is limited to 4 GB; the recording continues in \($1)"
    }
  }

  /// The counters of the sound card. The lost frames and the clipped samples are those of the recording, because a sound card has no such
  /// counters. Without a sound card, all counters are those of ``cardlessThread``.
  var counters: SoundCounters {
    var counters = (cardThread ?? cardlessThread)?.counters ?? SoundCounters()
    if cardThread != nil, let recorded = cardlessThread?.counters {
      counters.lostFrames = recorded.lostFrames
      counters.clippedSamples = recorded.clippedSamples
    }
    return counters
  }

  /// Returns the instant at which a message sounds if it is passed to the outputs at `instant`. On a sound card, the message sounds after
  /// the delay of the card. If there is only a recording, the message sounds on the first frame of the next period (`NominalDevice`).
  func sounding(at instant: Instant) -> Instant {
    if let cardState, cardState.status == .playing { return instant + cardState.delay + latency }
    guard path != nil else { return instant }
    let grid = FrameGrid.standard
    return grid.instant(of: NominalDevice.firstFrame(submittedAt: instant, on: grid))
  }

  /// The state of the sound card; nil if there is none.
  var cardState: CardState? { cardThread?.cardState }

  /// Ends the threads at `instant`. ``finish()`` completes the recording.
  ///
  /// - Returns: false if a thread hangs and was abandoned: see ``AudioThread/stop(after:)``.
  @discardableResult
  func stop(after instant: Instant) -> Bool {
    let cardThreadHasEnded = cardThread?.stop(after: instant) ?? true
    let cardlessThreadHasEnded = cardlessThread?.stop(after: instant) ?? true
    return cardThreadHasEnded && cardlessThreadHasEnded
  }

  /// Completes the recording.
  ///
  /// - Returns: the length of the recording; nil if there is none.
  /// - Throws: ``AudioFileError`` if the recording is not complete on the disk.
  @discardableResult
  func finish() throws(AudioFileError) -> Nanoseconds? {
    try recording?.finish()
    let grid = FrameGrid.standard
    return recording.map { grid.instant(of: $0.frameCount) - grid.instant(of: 0) }
  }

  /// Removes the recording, because the start of the peer has failed.
  func abandon() { recording?.abandon() }
}
