import Ensemble
import MIDI
import MusicalTime
import Realtime
import Transports

/// The peer's ALSA ports, as the control thread looks after them: who is connected to them, which notes are held, and the
/// outside clock.
struct MIDIPorts {
  /// A port whose clock may be kept, and what has been heard of it: one that was asked for, or whatever was connected to the
  /// clock input by hand.
  struct Source {
    var name: String
    /// Nil while it is gone.
    var address: SequencerAddress?
    var clock = OutsideClock()
  }

  let sequencer: Sequencer
  var sources: [Source] = []
  /// So many are listened to.
  private static let mostSources = 16
  /// What may go from here to the network.
  var outbound = MessageBudget()
  /// What each program at the input port holds.
  private(set) var held: [SequencerAddress: HeldNotes] = [:]
  /// How often arrivals were lost: the kernel's room for them, or this program's, overran.
  private(set) var overflows: Int64 = 0
  /// System Exclusive, clock messages of strangers, and other things that are not taken.
  var ignored: Int64 = 0
  /// Whether the player has been told that a clock comes in that nobody keeps.
  var hasToldOfClock = false
  private var reconnections = Reconnections()
  /// Who hears the clock.
  private var listeners: Set<SequencerAddress> = []
  private var dropped = 0

  /// Opens the peer's ports; nil when it is to have none.
  ///
  /// - Throws: ``TransportError``: no sequencer, or no such port to take the clock from.
  init?(_ configuration: PeerConfiguration) throws(TransportError) {
    let wanted: [String] = configuration.clockFrom.compactMap { if case .port(let name) = $0 { name } else { nil } }
    guard configuration.midi || !wanted.isEmpty else { return nil }
    sequencer = try Sequencer(name: configuration.name, takingClock: !wanted.isEmpty)
    do throws(TransportError) {
      for name in wanted {
        let port = try sequencer.ports().find(name, giving: true)
        try sequencer.subscribe(SequencerLink(.clockInput, port.address))
        sources.append(Source(name: port.name, address: port.address))
      }
    } catch {
      sequencer.close()
      throw error
    }
  }

  var nextDeadline: Instant { reconnections.nextDue ?? .distantFuture }

  /// Connects again what has come back.
  mutating func advance(to now: Instant) {
    for link in reconnections.due(at: now, ports: sequencer.ports()) {
      do throws(TransportError) { try sequencer.subscribe(link) } catch { reconnections.refused(link, at: now) }
    }
  }

  /// What became of the ports.
  struct News {
    var changes: [Reconnections.Change] = []
    /// Who has just begun to hear the clock, and who hears it no more.
    var joined: [SequencerAddress] = []
    var left: [SequencerAddress] = []
    /// What is to be sent to everybody so that no note hangs.
    var released: [Message] = []
  }

  /// Takes an announcement in.
  mutating func note(_ arrival: SequencerArrival) -> News {
    var news = News()
    switch arrival.event {
    case .message: return news
    case .ignored:
      ignored += 1
      return news
    case .overflow: return takeStock(at: arrival.at)
    case .subscribed(let link) where link.port == .clock:
      if listeners.insert(link.other).inserted { news.joined = [link.other] }
    case .subscribed(let link) where link.port == .clockInput:
      listen(to: link.other)
    case .unsubscribed(let link): news = forget(at: link.port) { $0 == link.other }
    case .portExited(let address): news = forget { $0 == address }
    case .clientExited(let client): news = forget { $0.client == client }
    case .subscribed, .portStarted, .portChanged, .clientChanged: break
    }
    news.changes = reconnections.note(arrival.event, at: arrival.at, ports: sequencer.ports())
    return news
  }

  /// Takes stock anew when arrivals have been lost on the way to this thread, as `count`, their number so far, tells.
  mutating func checkLosses(_ count: Int, at now: Instant) -> News? {
    guard count != dropped else { return nil }
    dropped = count
    return takeStock(at: now)
  }

  private mutating func takeStock(at now: Instant) -> News {
    overflows += 1
    let (links, ports) = (sequencer.links(), sequencer.ports())
    // A Note Off may have been among what was lost.
    var news = forget { _ in true }
    let hearing = Set(links.filter { $0.port == .clock }.map(\.other))
    (news.joined, news.left) = (Array(hearing.subtracting(news.left)), news.left.filter { !hearing.contains($0) })
    listeners = hearing
    let giving = links.filter { $0.port == .clockInput }.map(\.other)
    for n in sources.indices {
      sources[n].clock.lostCount()
      if let address = sources[n].address, !giving.contains(address) { sources[n].address = nil }
    }
    for address in giving { listen(to: address) }
    news.changes = reconnections.resynchronize(links: links, ports: ports, at: now)
    return news
  }

  /// Whatever is at `address` is connected to the clock input: one that has come back, or another.
  private mutating func listen(to address: SequencerAddress) {
    guard !sources.contains(where: { $0.address == address }) else { return }
    let name = sequencer.ports().first { $0.address == address }?.name ?? "\(address)"
    if let n = sources.firstIndex(where: { $0.address == nil && $0.name == name }) {
      sources[n].address = address
    } else if sources.count < Self.mostSources {
      sources.append(Source(name: name, address: address))
    }
  }

  /// Whoever is meant is connected no more, to `port` or to any.
  private mutating func forget(at port: Sequencer.Port? = nil, _ isMeant: (SequencerAddress) -> Bool) -> News {
    var news = News()
    if port == nil || port == .clockInput {
      for n in sources.indices {
        guard let address = sources[n].address, isMeant(address) else { continue }
        sources[n].address = nil
        sources[n].clock.lostCount()
      }
    }
    if port == nil || port == .clock {
      news.left = listeners.filter(isMeant)
      listeners.subtract(news.left)
    }
    if port == nil || port == .input {
      for address in held.keys.filter(isMeant) { news.released += release(address) }
    }
    return news
  }

  private mutating func release(_ address: SequencerAddress) -> [Message] {
    var notes = held.removeValue(forKey: address) ?? HeldNotes()
    return notes.release()
  }

  /// Whether `message` of the program at `address` may go to the network.
  mutating func admits(_ message: Message, from address: SequencerAddress, at now: Instant) -> Bool {
    guard held[address]?.ends(with: message) == true || outbound.admit(at: now) else { return false }
    if held[address] != nil || held.count < 64 { held[address, default: HeldNotes()].note(message) }
    return true
  }

  /// What ends the notes that are held, when the peer leaves.
  mutating func releaseAll() -> [Message] { Array(held.keys).flatMap { release($0) } }
}
