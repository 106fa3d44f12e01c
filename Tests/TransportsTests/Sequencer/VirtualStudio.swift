import MusicalTime
import Transports
import _TestSupport

/// A simulation of devices that vanish and return with other numbers, and of a user who connects and disconnects them. The simulation
/// announces events to a ``Reconnections``, as the kernel does, and restores the connections that are due, as a peer does.
struct VirtualStudio {
  /// A connection between a local port and the device `name`.
  struct Connection: Hashable {
    let port: Sequencer.Port
    let name: String
  }

  private let names: [String]
  /// The ports of the present devices, by name.
  private var present: [String: SequencerPort] = [:]
  private var now = Instant(nanoseconds: 0)
  private var reconnections = Reconnections()
  /// The existing connections.
  private var existing: Set<SequencerLink> = []
  /// The connections that the user has made and not removed. The device of a connection may be missing.
  private(set) var requested: Set<Connection> = []

  init(names: [String], using random: inout SplitMix) {
    self.names = names
    for name in names { add(name, using: &random) }
  }

  /// The existing connections, by name.
  var links: Set<Connection> {
    Set(
      existing.compactMap { link in
        present.values.first { $0.address == link.other }.map { Connection(port: link.port, name: $0.clientName) }
      })
  }

  /// Performs one random event.
  mutating func step(using random: inout SplitMix) {
    let name = names.randomElement(using: &random)!
    let local = Sequencer.Port.allCases.randomElement(using: &random)!
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      if let port = present[name] {
        requested.insert(Connection(port: local, name: name))
        connect(SequencerLink(local, port.address))
      }
    case 1: if let port = present[name] { disconnect(SequencerLink(local, port.address), name) }
    case 2: remove(name)
    case 3: if present[name] == nil { add(name, using: &random) }
    default: wait(.milliseconds(random.integer(in: 1...700)))
    }
  }

  /// Adds all missing devices and waits until their connections are restored.
  mutating func returnAll(using random: inout SplitMix) {
    for name in names where present[name] == nil { add(name, using: &random) }
    wait(.seconds(1))
  }

  /// Makes a connection, as the user does, or as the peer does to restore the connection. Before this call, the caller adds a connection
  /// of the user to ``requested``.
  private mutating func connect(_ link: SequencerLink) {
    guard existing.insert(link).inserted else { return }
    announce(.subscribed(link))
  }

  private mutating func disconnect(_ link: SequencerLink, _ name: String) {
    guard existing.remove(link) != nil else { return }
    requested.remove(Connection(port: link.port, name: name))
    announce(.unsubscribed(link))
  }

  /// Adds the device `name` with a random client number that is free.
  private mutating func add(_ name: String, using random: inout SplitMix) {
    let used = Set(present.values.map(\.address.client))
    let free = (UInt8(128)...140).filter { !used.contains($0) }
    let address = SequencerAddress(client: free.randomElement(using: &random)!, port: 0)
    present[name] = SequencerPort(address: address, clientName: name, portName: "MIDI", sends: true, receives: true)
    announce(.portStarted(address))
  }

  /// Removes a device. Its connections end without an announcement.
  private mutating func remove(_ name: String) {
    guard let port = present.removeValue(forKey: name) else { return }
    existing = existing.filter { $0.other != port.address }
    announce(.portExited(port.address))
    announce(.clientExited(port.address.client))
  }

  /// Lets time pass, and restores the connections that are due.
  private mutating func wait(_ length: Nanoseconds) {
    now = now + length
    for link in reconnections.due(at: now, ports: Array(present.values)) { connect(link) }
  }

  /// Announces an event to the memory of connections.
  private mutating func announce(_ event: SequencerArrival.Event) {
    _ = reconnections.record(event, at: now, ports: Array(present.values))
  }
}
