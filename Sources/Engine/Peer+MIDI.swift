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
    watchOutsideClock(at: now)
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
}

extension Message {
  /// A note, a controller or its like: what belongs to a channel.
  var isOfChannel: Bool { status < 0xF0 }
}
