import Ensemble
import MIDI
import MusicalTime
import Transports

// External clocks: ALSA ports (``PortClock``) and RTP-MIDI devices (``RTPPeerClock``).
extension Peer {
  /// All external clocks, ALSA ports first.
  private var clockCandidates: [ClockArbiter.Candidate] {
    let ports = midi?.clocks.map { ClockArbiter.Candidate($0.name, $0.clock, isConnected: $0.address != nil) } ?? []
    return ports
      + core.peerClocks.map { ClockArbiter.Candidate($0.name, $0.clock, isConnected: $0.session != nil) }
  }

  /// The external clock that controls the rhythm of this peer. If no external clock controls the rhythm, this is the first external clock,
  /// because the trace contains its counters. Nil if there are no external clocks.
  var externalClock: ExternalClock? {
    let clocks = (midi?.clocks.map(\.clock) ?? []) + core.peerClocks.map(\.clock)
    return clocks.first { $0.leads(ensemble) } ?? clocks.first
  }

  /// The name of the external clock that controls the rhythm of this peer, for messages.
  var externalClockName: String {
    let names =
      (midi?.clocks.filter { $0.clock.leads(ensemble) }.map(\.name) ?? [])
      + core.peerClocks.filter { $0.clock.leads(ensemble) }.map(\.name)
    return names.first ?? "the external clock"
  }

  /// The remedy for an external clock that controls the rhythm of this peer and is silent.
  private static let remedyForSilentClock =
    "connect or start the clock again, offer the role of master (key h), or leave (key q)"

  /// Informs the player that a command is not executed, because `clock` controls the rhythm of this peer.
  ///
  /// - Parameters:
  ///   - subject: what the external clock controls, such as "the tempo".
  ///   - remedy: what the player can do at the clock, unless the clock is silent.
  func refuse(_ subject: String, controlledBy clock: ExternalClock, remedy: String, at now: Instant) {
    let state = clock.isHeard(at: now) ? "; \(remedy)" : ", which is silent; \(Self.remedyForSilentClock)"
    log.notice("\(subject): follows the external clock \(externalClockName)\(state)")
  }

  /// Handles a message of an ALSA port that is an external clock.
  ///
  /// - Parameters:
  ///   - index: the index of the clock in ``MIDIPorts/clocks``.
  ///   - instant: when the message arrived.
  func receive(_ message: Message, ofClock index: Int, at instant: Instant, now: Instant) {
    guard let message = ExternalClock.Message(message), let name = midi?.clocks[index].name else { return }
    if let event = midi?.clocks[index].clock.received(message, at: instant, for: &ensemble, now: now) {
      notify(event, of: name, at: now)
    }
  }

  /// Reports the external clocks at ALSA ports that have stopped sending ticks, and ensures that only one external clock is used.
  /// ``PeerCore`` reports the RTP-MIDI devices that have stopped sending ticks.
  func advanceExternalClocks(to now: Instant) {
    for index in midi?.clocks.indices ?? 0..<0 {
      if let name = midi?.clocks[index].name, let event = midi?.clocks[index].clock.advance(to: now) {
        notify(event, of: name, at: now)
      }
    }
    let candidates = clockCandidates
    guard candidates.count > 1 else { return }
    let (yieldingIndex, notifications) = arbiter.select(among: candidates, for: ensemble, now: now)
    // `yieldingIndex` is the index of the candidate that must stop controlling the rhythm. The ALSA ports are the first candidates.
    if let yieldingIndex {
      let portCount = midi?.clocks.count ?? 0
      if yieldingIndex < portCount {
        midi?.clocks[yieldingIndex].clock.yield(&ensemble, now: now)
      } else {
        core.peerClocks[yieldingIndex - portCount].clock.yield(&ensemble, now: now)
      }
    }
    for notification in notifications {
      switch notification {
      case .unused(let name, let used):
        let reason = "not used, because this peer follows \(used)"
        let line = "external clock \(name): \(reason); to use \(name), stop the clock of \(used)"
        write(line, .notice, .clocks, of: name, at: now)
      case .replaced(let name, let silent):
        write("external clock \(silent): silent; \(name) is used from now on", .notice, .clocks, of: silent, at: now)
      }
    }
  }

  /// Informs the player of an event of the external clock called `name`.
  func notify(_ event: ExternalClock.Event, of name: String, at now: Instant) {
    switch event {
    case .refused(let error):
      let line = "external clock \(name): cannot start the rhythm yet; \(core.description(of: error))"
      write(line, .notice, .clocks, of: name, at: now)
    case .silent:
      let isFollowed = externalClock?.leads(ensemble) == true && externalClockName == name
      let effect = "the rhythm continues at the last tempo; \(Self.remedyForSilentClock)"
      let line = "external clock \(name): sends no ticks; \(isFollowed ? effect : "connect or start it again")"
      write(line, .warning, .clocks, of: name, at: now)
    case .heard: write("external clock \(name): sends ticks again", .notice, .clocks, of: name, at: now)
    case .unplayable:
      let reason = "its tempo is not within 20 to 999 BPM, so the rhythm does not start"
      write("external clock \(name): \(reason); change its tempo", .warning, .clocks, of: name, at: now)
    }
  }
}
