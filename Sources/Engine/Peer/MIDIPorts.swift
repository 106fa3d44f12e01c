import Ensemble
import MIDI
import MusicalTime
import Realtime
import Transports

/// The ALSA ports of a peer, as the control thread sees them: the connections, the held notes and the external clocks.
struct MIDIPorts {
  let sequencer: Sequencer
  /// The ports that may be used as external clocks.
  var clocks: [PortClock] = []
  private static let clockLimit = 16
  /// The budget for messages to the network.
  var outbound = MessageBudget()
  /// The notes that each program at the input port holds.
  private(set) var held: [SequencerAddress: HeldNotes] = [:]
  /// How often arrivals were lost, because a buffer of the kernel or of this program overflowed.
  private(set) var overflows: Int64 = 0
  /// The number of messages that are not used: System Exclusive, clock messages of other ports, and others.
  var ignored: Int64 = 0
  /// Whether the player was informed of a clock that is not used.
  var hasReportedClock = false
  private var reconnections = Reconnections()
  /// The subscribers of the clock port.
  private var listeners: Set<SequencerAddress> = []
  private var dropped = 0

  /// Opens the ports; nil if none is configured.
  ///
  /// - Throws: ``TransportError`` if there is no sequencer, or no port for an external clock.
  init?(_ configuration: PeerConfiguration) throws(TransportError) {
    let names: [String] = configuration.clockFrom.compactMap { if case .port(let name) = $0 { name } else { nil } }
    guard configuration.midi || !names.isEmpty else { return nil }
    sequencer = try Sequencer(name: configuration.name, takingClock: !names.isEmpty)
    do throws(TransportError) {
      for name in names {
        let port = try sequencer.ports().find(name, sending: true)
        try sequencer.subscribe(SequencerLink(.clockInput, port.address))
        clocks.append(PortClock(name: port.name, address: port.address))
      }
    } catch {
      sequencer.close()
      throw error
    }
  }

  var nextDeadline: Instant { reconnections.nextDue ?? .distantFuture }

  /// Restores the connections to ports that have returned.
  mutating func advance(to now: Instant) {
    for link in reconnections.due(at: now, ports: sequencer.ports()) {
      do throws(TransportError) { try sequencer.subscribe(link) } catch { reconnections.refused(link, at: now) }
    }
  }

  /// Changes of the connections.
  struct Changes {
    var connections: [Reconnections.Change] = []
    /// New subscribers of the clock port.
    var joined: [SequencerAddress] = []
    /// Former subscribers of the clock port.
    var left: [SequencerAddress] = []
    /// The messages that end the notes of programs that have disconnected.
    var released: [Message] = []
  }

  /// Handles an announcement of the sequencer.
  mutating func note(_ arrival: SequencerArrival) -> Changes {
    var changes = Changes()
    switch arrival.event {
    case .message: return changes
    case .ignored:
      ignored += 1
      return changes
    case .overflow: return readConnections(at: arrival.at)
    case .subscribed(let link) where link.port == .clock:
      if listeners.insert(link.other).inserted { changes.joined = [link.other] }
    case .subscribed(let link) where link.port == .clockInput:
      listen(to: link.other)
    case .unsubscribed(let link): changes = forget(at: link.port) { $0 == link.other }
    case .portExited(let address): changes = forget { $0 == address }
    case .clientExited(let client): changes = forget { $0.client == client }
    case .subscribed, .portStarted, .portChanged, .clientChanged: break
    }
    changes.connections = reconnections.note(arrival.event, at: arrival.at, ports: sequencer.ports())
    return changes
  }

  /// Compares the number of lost arrivals; after a loss, it reads all connections again.
  ///
  /// - Parameter count: the number of arrivals that were lost on the way to this thread.
  mutating func checkLosses(_ count: Int, at now: Instant) -> Changes? {
    guard count != dropped else { return nil }
    dropped = count
    return readConnections(at: now)
  }

  private mutating func readConnections(at now: Instant) -> Changes {
    overflows += 1
    let (links, ports) = (sequencer.links(), sequencer.ports())
    // A Note Off may be among the lost arrivals.
    var changes = forget { _ in true }
    let subscribers = Set(links.filter { $0.port == .clock }.map(\.other))
    (changes.joined, changes.left) = (
      Array(subscribers.subtracting(changes.left)), changes.left.filter { !subscribers.contains($0) }
    )
    listeners = subscribers
    let sources = links.filter { $0.port == .clockInput }.map(\.other)
    for n in clocks.indices {
      clocks[n].clock.lostCount()
      if let address = clocks[n].address, !sources.contains(address) { clocks[n].address = nil }
    }
    for address in sources { listen(to: address) }
    changes.connections = reconnections.resynchronize(links: links, ports: ports, at: now)
    return changes
  }

  /// The port at `address` is connected to the clock input: a port that has returned, or another one.
  private mutating func listen(to address: SequencerAddress) {
    guard !clocks.contains(where: { $0.address == address }) else { return }
    let name = sequencer.ports().first { $0.address == address }?.name ?? "\(address)"
    if let n = clocks.firstIndex(where: { $0.address == nil && $0.name == name }) {
      clocks[n].address = address
    } else if clocks.count < Self.clockLimit {
      clocks.append(PortClock(name: name, address: address))
    }
  }

  /// The programs for which `matches` is true have disconnected from `port`; nil stands for all ports.
  private mutating func forget(at port: Sequencer.Port? = nil, _ matches: (SequencerAddress) -> Bool) -> Changes {
    var changes = Changes()
    if port == nil || port == .clockInput {
      for n in clocks.indices {
        guard let address = clocks[n].address, matches(address) else { continue }
        clocks[n].address = nil
        clocks[n].clock.lostCount()
      }
    }
    if port == nil || port == .clock {
      changes.left = listeners.filter(matches)
      listeners.subtract(changes.left)
    }
    if port == nil || port == .input {
      for address in held.keys.filter(matches) { changes.released += release(address) }
    }
    return changes
  }

  private mutating func release(_ address: SequencerAddress) -> [Message] {
    var notes = held.removeValue(forKey: address) ?? HeldNotes()
    return notes.release()
  }

  /// Whether a message of the program at `address` may be sent to the network.
  mutating func admits(_ message: Message, from address: SequencerAddress, at now: Instant) -> Bool {
    guard held[address]?.ends(with: message) == true || outbound.admit(at: now) else { return false }
    if held[address] != nil || held.count < 64 { held[address, default: HeldNotes()].note(message) }
    return true
  }

  /// Returns the messages that end all held notes.
  mutating func releaseAll() -> [Message] { Array(held.keys).flatMap { release($0) } }
}
