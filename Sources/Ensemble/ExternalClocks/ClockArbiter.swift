import ClockSync
public import MIDI
public import MusicalTime
import PeerProtocol
import Playback
public import RTPMIDI

/// The external clocks of a peer. Decides which of them steers the rhythm, so that the rhythm never follows the ticks of two clocks at
/// once. While the rhythm plays by an external clock, the local peer is the master.
///
///     stopped ── Start, Continue ──▶ waiting for six even ticks and the end of other rhythms ──▶ playing ── Stop ──▶ stopped
///
/// The first clock that starts a rhythm leads. The local peer counts the ticks of the other clocks, but does not play by them. When the
/// leading clock stops, is disconnected, or is silent for ``ExternalClock/patience``, another running clock replaces it. If there is none,
/// the rhythm continues at its last tempo.
///
/// The rhythm starts in phase, on the first step that can still be announced to all peers. After that, only tempo changes correct its
/// position (``EnsembleState/steer(to:beyond:at:)``), so that the position does not jump.
///
/// Real-time: not safe.
public struct ClockArbiter: Sendable {
  /// An event of an input for the user.
  public enum Event: Hashable, Sendable {
    /// The rhythm of the clock cannot start yet.
    case refused(CommandError)
    /// The clock runs, but has sent no tick for ``ExternalClock/patience``.
    case silent
    /// Ticks arrive again.
    case heard
    /// The clock has run for a second at a tempo outside ``Tempo/lengths``.
    case unplayable
    /// The clock runs and is not used, because the clock `beside` leads.
    case unused(beside: String)
    /// The clock is silent or disconnected, and the clock `by` takes its place.
    case replaced(by: String)
    /// The device is in session again.
    case isBack
    /// The session with the device has ended.
    case isGone
    /// The device is a Tutti peer. The local peer follows its rhythm like the rhythm of any Tutti peer, and does not use its MIDI clock.
    case isTuttiPeer
  }

  /// An error of the position above this value is corrected at once. A smaller error, if it is above 20 us, is corrected at the
  /// next quarter note.
  private static let urgentError = Nanoseconds.milliseconds(1)
  /// The maximum number of ALSA ports.
  private static let portLimit = 16

  public private(set) var inputs: [ClockInput] = []
  /// Whether Start, Continue, Stop and Song Position have an effect. If not, the rhythm begins with the first tick, and ends as soon as no
  /// tick has arrived for ``patienceWithoutTransport``.
  public var followsTransport = true
  /// Longer than four ticks at the slowest tempo, 20 BPM.
  private static let patienceWithoutTransport = Nanoseconds.milliseconds(600)
  /// The index of the input that has started a rhythm last, and the claim of this rhythm; nil if there is none, or if the input has ended
  /// the rhythm.
  private var lead: (input: Int, claim: Claim)?
  private var events: [(name: String, event: Event)] = []

  public init() {}

  /// Whether any input is an RTP-MIDI device. Such an input needs the number of packets that are missing directly before a tick.
  public var countsPackets: Bool { inputs.contains { $0.address != nil } }

  /// The input by which `ensemble` plays; nil if the rhythm that plays was not started by an input.
  public func leader(of ensemble: EnsembleState) -> ClockInput? { leaderIndex(of: ensemble).map { inputs[$0] } }

  private func leaderIndex(of ensemble: EnsembleState) -> Int? {
    guard let lead, ensemble.claim == lead.claim, ensemble.role == .master, inputs[lead.input].clock.isRunning else {
      return nil
    }
    return lead.input
  }

  /// Returns the events since the last call, with the names of their inputs.
  public mutating func takeEvents() -> [(name: String, event: Event)] {
    defer { events = [] }
    return events
  }

  // MARK: Inputs

  /// Adds the RTP-MIDI device whose control port has this address.
  public mutating func add(_ name: String, at address: SocketAddress) { inputs.append(ClockInput(name, at: address)) }

  /// Uses an ALSA port. If a disconnected port has this name, the port has returned.
  public mutating func connect(_ name: String, _ source: ClockInput.Source) {
    guard !inputs.contains(where: { $0.source == source }) else { return }
    if let n = inputs.firstIndex(where: { $0.address == nil && $0.source == nil && $0.name == name }) {
      inputs[n].source = source
    } else if inputs.count(where: { $0.address == nil }) < Self.portLimit {
      inputs.append(ClockInput(name, source: source))
    }
  }

  /// Records that the connections to some sources have ended. Until a source returns, ticks may be lost.
  public mutating func disconnect(where hasEnded: (ClockInput.Source) -> Bool) {
    for n in inputs.indices {
      guard let source = inputs[n].source, hasEnded(source) else { continue }
      inputs[n].source = nil
      inputs[n].clock.ticksMayBeLost()
      if case .session = source { report(.isGone, of: n) }
    }
  }

  /// Records that the device at `address`, if it is an input, is in session.
  ///
  /// A device that invites the local peer may use another port each time. If no input has its address, it therefore becomes the source of an
  /// input for its host that has no source.
  mutating func established(_ session: SessionID, at address: SocketAddress, name: String?) {
    let exact = inputs.firstIndex { $0.address == address }
    let ofHost = inputs.firstIndex { $0.source == nil && $0.address?.isSameHost(as: address) == true }
    guard let n = exact ?? ofHost else { return }
    let isBack = inputs[n].wasConnected
    inputs[n].established(session, onlyByHost: exact == nil)
    if let name { inputs[n].name = name }
    if isBack { report(.isBack, of: n) }
  }

  /// Records that the device of a session is a Tutti peer. If its MIDI clock has started a rhythm, the rhythm ends.
  mutating func recognised(_ session: SessionID, in ensemble: inout EnsembleState, at now: Instant) {
    guard let n = index(of: .session(session)) else { return }
    let isOnlyByHost = inputs[n].isOnlyByHost
    inputs[n].isTutti = !isOnlyByHost
    inputs[n].clock = ExternalClock()
    inputs[n].wait()
    end(n, &ensemble, now: now)
    if isOnlyByHost {
      // The user means another device of this host.
      (inputs[n].source, inputs[n].wasConnected) = (nil, false)
    } else {
      report(.isTuttiPeer, of: n)
    }
  }

  /// Adds a measurement of the system clock of a session's device.
  mutating func measured(_ transit: ClockTransit, on session: SessionID, at now: Instant) {
    if let n = index(of: .session(session)) { inputs[n].remote.add(transit, at: now) }
  }

  /// Discards the measurements of all system clocks.
  mutating func discardMeasurements() { for n in inputs.indices { inputs[n].remote = RemoteClock() } }

  /// Whether a connected input has this source.
  public func contains(_ source: ClockInput.Source) -> Bool { index(of: source) != nil }

  private func index(of source: ClockInput.Source) -> Int? { inputs.firstIndex { $0.source == source } }

  private mutating func report(_ event: Event, of n: Int) { events.append((inputs[n].name, event)) }

  // MARK: The rhythm

  /// Handles a message that arrived at `instant`.
  ///
  /// - Parameters:
  ///   - packet: how a message of a session has arrived; nil for an ALSA port.
  ///   - ensemble: the state of the ensemble, whose rhythm is started, steered or stopped.
  /// - Returns: whether an input uses the message: it is a message of MIDI clock and `source` is an input.
  @discardableResult
  public mutating func received(
    _ message: Message, from source: ClockInput.Source, at instant: Instant, packet: ClockInput.Packet? = nil,
    for ensemble: inout EnsembleState, now: Instant
  ) -> Bool {
    guard !inputs.isEmpty, let message = ExternalClock.Message(message), let n = index(of: source), !inputs[n].isTutti
    else { return false }
    let complete = packet.map { inputs[n].complete(message, from: $0, at: instant) }
    if !followsTransport {
      guard message == .clock else { return true }
      if !inputs[n].clock.isRunning {
        received(.start, at: instant, stamp: nil, missing: packet.map { _ in 0 }, ofInput: n, for: &ensemble, now: now)
      }
    }
    received(
      complete?.message ?? message, at: instant, stamp: complete?.stamp, missing: complete?.missing, ofInput: n,
      for: &ensemble, now: now)
    return true
  }

  /// Passes a message to the clock of an input.
  mutating func received(
    _ message: ExternalClock.Message, at instant: Instant, stamp: ExternalClock.Stamp?, missing: Int64? = nil,
    ofInput n: Int, for ensemble: inout EnsembleState, now: Instant
  ) {
    let rhythm = lead?.input == n && ensemble.claim == lead?.claim ? ensemble.schedule : nil
    let change = inputs[n].clock.received(
      message, at: instant, stamp: stamp, missing: missing, rhythm: rhythm, now: now)
    if let change { follow(change, ofInput: n, for: &ensemble, now: now) }
  }

  /// Starts, steers or stops the rhythm by a change of an input.
  private mutating func follow(
    _ change: ExternalClock.Change, ofInput n: Int, for ensemble: inout EnsembleState, now: Instant
  ) {
    switch change {
    case .began:
      inputs[n].refusal = nil
      (inputs[n].isSilent, inputs[n].isUnplayable) = (false, false)
      // A rhythm that plays by this clock goes on until the next tick, and continues with the new position there.
      if leaderIndex(of: ensemble) == n { inputs[n].wait() } else { restart(n, &ensemble, now: now) }
    case .ended: restart(n, &ensemble, now: now)
    case .ticked(let tick, let timeline, let isEven, _) where inputs[n].isWaiting:
      // While another rhythm of the local peer plays, the clock waits. While a rhythm of another peer plays, `start` fails and
      // reports the reason.
      let leads = leaderIndex(of: ensemble) == n
      if isEven, leads || ensemble.role == .idle || ensemble.claim?.identity != ensemble.identity {
        start(n, on: timeline, after: tick, replacing: leads, &ensemble, now: now)
      }
    case .ticked(let tick, let timeline, _, let isStamped):
      guard leaderIndex(of: ensemble) == n else { break }
      let isBetweenQuarters = tick.index % Tick.perQuarter != 0
      let tolerance = isBetweenQuarters ? Self.urgentError : .microseconds(20)
      // Time stamps show the error exactly, so a large error is corrected in half the time. A small error is not: if the next correction
      // came only a quarter note later, it would have grown again.
      let isPossible =
        !isStamped || ensemble.steer(to: timeline, beyond: Self.urgentError, within: Tick.perQuarter / 2, at: now)
      if !isPossible || !ensemble.steer(to: timeline, beyond: tolerance, at: now) {
        // The rhythm is too far from the ticks to be corrected by tempo changes. It is replaced at the next tick.
        inputs[n].wait()
      }
    }
  }

  /// Reports what has changed without a message, and replaces a leading clock that is silent.
  public mutating func advance(to now: Instant, for ensemble: inout EnsembleState) {
    for n in inputs.indices {
      if !followsTransport, inputs[n].clock.isSilent(for: Self.patienceWithoutTransport, at: now) {
        received(.stop, at: now, stamp: nil, ofInput: n, for: &ensemble, now: now)
      }
      guard inputs[n].clock.isRunning else {
        inputs[n].isUnused = false
        continue
      }
      let isSilent = !inputs[n].clock.isHeard(at: now)
      if isSilent != inputs[n].isSilent { report(isSilent ? .silent : .heard, of: n) }
      inputs[n].isSilent = isSilent
      if inputs[n].clock.isUnplayable, !inputs[n].isUnplayable {
        inputs[n].isUnplayable = true
        report(.unplayable, of: n)
      }
    }
    guard let first = leaderIndex(of: ensemble) else { return }
    let isUsable = inputs[first].source != nil && inputs[first].clock.isHeard(at: now)
    for n in inputs.indices where n != first && inputs[n].source != nil && inputs[n].clock.isHeard(at: now) {
      if !isUsable {
        report(.replaced(by: inputs[n].name), of: first)
        return restart(first, &ensemble, now: now)
      }
      if !inputs[n].isUnused { report(.unused(beside: inputs[first].name), of: n) }
      inputs[n].isUnused = true
    }
  }

  /// Ends the rhythm of a clock. If the clock runs, it waits until no rhythm plays, and starts its rhythm again in phase.
  private mutating func restart(_ n: Int, _ ensemble: inout EnsembleState, now: Instant) {
    inputs[n].wait()
    end(n, &ensemble, now: now)
  }

  /// Ends the rhythm if it plays by this clock.
  private mutating func end(_ n: Int, _ ensemble: inout EnsembleState, now: Instant) {
    guard let lead, lead.input == n else { return }
    if ensemble.claim == lead.claim { try? ensemble.stopAtOnce(now: now) }
    self.lead = nil
  }

  /// Starts the rhythm of a clock on `timeline`. If this is not possible, reports the reason, but not twice in a row.
  ///
  /// - Parameters:
  ///   - tick: the tick that has just arrived.
  ///   - replaces: whether the rhythm that plays by this clock is replaced.
  private mutating func start(
    _ n: Int, on timeline: Timeline, after tick: Tick, replacing replaces: Bool, _ ensemble: inout EnsembleState,
    now: Instant
  ) {
    do throws(CommandError) {
      try ensemble.start(on: timeline, after: tick, replacing: replaces, at: now)
      lead = ensemble.claim.map { (n, $0) }
      (inputs[n].isWaiting, inputs[n].refusal) = (false, nil)
    } catch  where error != inputs[n].refusal {
      inputs[n].refusal = error
      report(.refused(error), of: n)
    } catch {}
  }
}
