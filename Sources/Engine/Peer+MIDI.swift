import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Transports

// What comes from and goes to the ALSA ports.
extension Peer {
  func receiveMIDI(at now: Instant) {
    // Bounded, so that a flood keeps nothing else waiting.
    var most = 1024
    while most > 0, let arrival = networkRings.arrivals.pop() {
      most -= 1
      if case .message(let message) = arrival.event {
        if arrival.port != .clockInput {
          pass(message, from: arrival.from, at: now)
        } else if arrival.from == midi?.source?.address {
          keep(message, at: arrival.at, now: now)
        } else {
          midi?.ignored += 1
        }
      } else if let news = midi?.note(arrival) {
        act(on: news)
      }
    }
    if let news = midi?.checkLosses(networkRings.arrivals.dropped, at: now) { act(on: news) }
    midi?.advance(to: now)
    if let event = midi?.source?.clock.advance(to: now) { tell(event) }
  }

  /// Ends the notes that local programs hold, before this peer leaves.
  func releaseNotes() {
    for message in midi?.releaseAll() ?? [] { clock.send(.sessions(message)) }
    for session in peers.keys { releaseNotes(of: session) }
  }

  /// Ends the notes that the peer of a session holds at the notes port.
  func releaseNotes(of session: SessionID) {
    for message in peers[session]?.held.release() ?? [] { clock.send(.port(message)) }
  }

  /// Gives what another peer plays to the programs at the notes port.
  func receivedOfChannel(_ message: Message, on session: SessionID, at now: Instant) {
    guard midi != nil, let partner = peers[session] else { return }
    guard partner.held.ends(with: message) || midi?.inbound.admit(at: now) == true else { return }
    peers[session]?.held.note(message)
    clock.send(.port(message))
  }

  private func act(on news: MIDIPorts.News) {
    for message in news.released { clock.send(.sessions(message)) }
    for address in news.left { clock.send(.unsubscribed(address)) }
    for address in news.joined { clock.send(.subscribed(address)) }
    for change in news.changes { tell(change) }
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
  private func pass(_ message: Message, from address: SequencerAddress, at now: Instant) {
    if message.isOfChannel {
      if midi?.admits(message, from: address, at: now) == true { clock.send(.sessions(message)) }
    } else if message == .clock, midi?.hasToldOfClock == false {
      midi?.hasToldOfClock = true
      log.notice("a MIDI clock comes in; to keep it give its port to --clock-from")
    }
  }

  private func tell(_ change: Reconnections.Change) {
    switch change {
    case .gone(let name):
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
    case .unplayable: log.warning("\(name) runs at no tempo from 20 to 999 BPM, so nothing is played")
    }
  }
}

extension Message {
  /// A note, a controller or its like: what belongs to a channel.
  var isOfChannel: Bool { status < 0xF0 }
}
