import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Transports

// Messages from the ALSA ports, and changes of their connections.
extension Peer {
  /// Handles the arrivals at the ALSA ports since the last call. The network thread has already played the channel messages at the port
  /// `in`, and does not pass them on (`NetworkLoop.receive(_:)`).
  func receiveMIDI(at now: Instant) {
    // At most 1024 arrivals per call, so that a flood does not delay the rest of the control thread's work.
    var remaining = 1024
    while remaining > 0, let arrival = network.rings.arrivals.pop() {
      remaining -= 1
      if case .message(let message) = arrival.event {
        if arrival.port != .clockInput {
          reportUnusedClock(message)
        } else {
          let source = ClockInput.Source.port(arrival.from)
          if !core.clocks.contains(source) { midi?.ignored += 1 }
          core.clocks.received(message, from: source, at: arrival.at, for: &core.ensemble, now: now)
        }
      } else if let changes = midi?.record(arrival, clocks: &core.clocks) {
        handle(changes)
      }
    }
    if let changes = midi?.checkLosses(network.rings.arrivals.dropped, at: now, clocks: &core.clocks) {
      handle(changes)
    }
    midi?.advance(to: now)
  }

  /// Passes changes of the connections on to the clock thread and to the player.
  private func handle(_ changes: MIDIPorts.Changes) {
    for address in changes.left { clock.send(.unsubscribed(address)) }
    for address in changes.joined {
      let shifted = midi?.offset(ofSubscriber: address)
      clock.send(.subscribed(address, offset: shifted?.offset ?? .zero))
      if let shifted {
        log.notice("MIDI port \(shifted.name): gets the clock \(ClockOffset.description(of: shifted.offset))")
      }
    }
    for change in changes.connections { notify(change) }
  }

  /// Informs the player of the first MIDI Timing Clock that arrives at the port `in`, where it is not used.
  private func reportUnusedClock(_ message: Message) {
    guard message == .clock, midi?.hasReportedClock == false else { return }
    midi?.hasReportedClock = true
    log.notice(
      "MIDI clock: ticks arrive at the port `in` and are not used; to use them, give their sender to --clock-from")
  }

  /// Informs the player that a port has disappeared or is connected again.
  private func notify(_ change: Reconnections.Change) {
    switch change {
    case .gone(let name): log.warning("MIDI port \(name): disappeared; it is connected again when it returns")
    case .back(let name): log.notice("MIDI port \(name): connected again")
    }
  }
}
