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
        } else if let source = midi?.sources.firstIndex(where: { $0.address == arrival.from }) {
          keep(message, of: source, at: arrival.at, now: now)
        } else {
          midi?.ignored += 1
        }
      } else if let news = midi?.note(arrival) {
        act(on: news, at: now)
      }
    }
    if let news = midi?.checkLosses(networkRings.arrivals.dropped, at: now) { act(on: news, at: now) }
    midi?.advance(to: now)
    watchOutsideClocks(at: now)
  }

  private func act(on news: MIDIPorts.News, at now: Instant) {
    for message in news.released { core.play(message, at: now) }
    for address in news.left { clock.send(.unsubscribed(address)) }
    for address in news.joined { clock.send(.subscribed(address)) }
    for change in news.changes { tell(change) }
  }

  /// Takes what a local program plays.
  private func pass(_ message: Message, from address: SequencerAddress, at now: Instant) {
    if message.isOfChannel {
      if midi?.admits(message, from: address, at: now) == true { core.play(message, at: now) }
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
