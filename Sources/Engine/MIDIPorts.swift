import Ensemble
import MIDI
import MusicalTime
import Realtime
import Transports

/// The peer's ALSA ports, as the control thread looks after them: who is connected to them, and the outside clock.
struct MIDIPorts {
  /// The port whose clock is kept, known again by its names, and what has been heard of it.
  struct Source {
    let name: String
    var clock = OutsideClock()
  }

  let sequencer: Sequencer
  var reconnections = Reconnections()
  var source: Source?
  /// What may go on to the network.
  var budget = MessageBudget()
  /// How often the kernel's room for arrivals overran.
  var overflows: Int64 = 0
  /// System Exclusive and other things that are no message.
  var ignored: Int64 = 0
  /// Whether the player has been told that a clock comes in that nobody keeps.
  var hasToldOfClock = false

  /// Opens the peer's ports; nil when it is to have none.
  ///
  /// - Throws: ``TransportError``: no sequencer, or no such port to take the clock from.
  init?(_ configuration: PeerConfiguration) throws(TransportError) {
    guard configuration.midi || configuration.clockFrom != nil else { return nil }
    sequencer = try Sequencer(name: configuration.name, takingClock: configuration.clockFrom != nil)
    guard let wanted = configuration.clockFrom else { return }
    do throws(TransportError) {
      let port = try sequencer.ports().find(wanted, giving: true)
      try sequencer.subscribe(SequencerLink(.clockInput, port.address))
      source = Source(name: port.name)
    } catch {
      sequencer.close()
      throw error
    }
  }

  var nextDeadline: Instant { reconnections.nextDue ?? .distantFuture }

  /// Connects again what has come back.
  mutating func advance(to now: Instant) {
    for link in reconnections.due(at: now, ports: sequencer.ports()) { try? sequencer.subscribe(link) }
  }

  /// Takes an announcement in; gives what there is to tell the player.
  mutating func note(_ arrival: SequencerArrival) -> [Reconnections.Change] {
    switch arrival.event {
    case .ignored:
      ignored += 1
      return []
    case .overflow:
      overflows += 1
      source?.clock.lostCount()
      return reconnections.resynchronize(links: sequencer.links(), ports: sequencer.ports(), at: arrival.at)
    default: return reconnections.note(arrival.event, at: arrival.at, ports: sequencer.ports())
    }
  }
}
