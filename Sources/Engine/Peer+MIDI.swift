import Ensemble
import MIDI
import MusicalTime
import Transports

// What comes from and goes to the ALSA ports.
extension Peer {
  func receiveMIDI(at now: Instant) {
    // Bounded, so that a flood keeps nothing else waiting.
    var most = 1024
    while most > 0, let arrival = networkRings.arrivals.pop() {
      most -= 1
      if case .message(let message) = arrival.event {
        if arrival.port == .clockInput { keep(message, at: arrival.at, now: now) } else { pass(message, at: now) }
        continue
      }
      for change in midi?.note(arrival) ?? [] { tell(change) }
      if case .subscribed(let link) = arrival.event, link.port == .clock { clock.send(.subscribed(link.other)) }
    }
    midi?.advance(to: now)
    if let event = midi?.source?.clock.advance(to: now) { tell(event) }
  }

  /// A message of the outside clock.
  private func keep(_ message: Message, at instant: Instant, now: Instant) {
    let said: OutsideClock.Message
    switch message {
    case .clock: said = .clock
    case .start: said = .start
    case .continue: said = .continue
    case .stop: said = .stop
    case .songPosition(let place): said = .songPosition(Step(Int64(place.value)))
    default: return
    }
    if let event = midi?.source?.clock.received(said, at: instant, for: &ensemble, now: now) { tell(event) }
  }

  /// Gives what a local program plays to everybody in session.
  private func pass(_ message: Message, at now: Instant) {
    if message.isOfChannel {
      if midi?.budget.admit(at: now) == true { clock.send(.sessions(message)) }
    } else if message == .clock, midi?.hasToldOfClock == false {
      midi?.hasToldOfClock = true
      log.notice("a MIDI clock comes in; to keep it give its port to --clock-from")
    }
  }

  private func tell(_ change: Reconnections.Change) {
    switch change {
    case .gone(let name):
      if name == midi?.source?.name { midi?.source?.clock.lostCount() }
      log.warning("MIDI port \(name) is gone; it is connected again when it comes back")
    case .back(let name): log.notice("MIDI port \(name) is back")
    }
  }

  private func tell(_ event: OutsideClock.Event) {
    let name = midi?.source?.name ?? "the outside clock"
    switch event {
    case .refused(let refusal): log.notice("\(name) has started, but \(self.name(of: refusal))")
    case .silent: log.warning("\(name) sends no clock; the rhythm goes on at its last tempo")
    case .heard: log.notice("\(name) sends clock again")
    }
  }
}

extension Message {
  /// A note, a controller or its like: what belongs to a channel.
  var isOfChannel: Bool { status < 0xF0 }
}
