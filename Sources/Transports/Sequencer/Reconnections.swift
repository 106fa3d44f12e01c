public import MusicalTime

/// Remembers the connections of the local ports, so that they can be restored when a device returns.
///
/// A port is identified by the name of its client and its own name, because numbers change. When a port vanishes, the
/// kernel announces the exit of the port and then of its client, but not the end of the connections. The connections
/// are then remembered as lost. When a port of the same name starts, its lost connections are restored after ``settling``.
///
/// The delay is necessary because programs set their names and make their own connections after they have created their
/// ports. Some programs fail if the connection already exists (`aseqdump -p`). A connection that the user disconnects is
/// forgotten.
///
/// At most ``capacity`` lost connections are remembered. Those that were made first are forgotten first.
///
/// Real-time: not safe.
public struct Reconnections: Sendable {
  /// An event for the user.
  public enum Change: Hashable, Sendable {
    /// The port of this name vanished, with its connections.
    case gone(String)
    /// The port of this name is connected again.
    case back(String)
  }

  /// The delay between the start of a port and the restoration of its connections.
  public static let settling = Nanoseconds.milliseconds(500)
  /// The maximum number of lost connections.
  public static let capacity = 64

  /// A connection, present or lost.
  private struct Entry: Sendable {
    enum State {
      case connected
      /// The port has vanished, or the kernel has refused to restore the connection.
      case lost
      /// The port has returned, and the connection is being restored.
      case reconnecting
    }
    var link: SequencerLink
    /// The port of the other client.
    var remotePort: SequencerPort
    var state = State.connected
  }

  private var entries: [Entry] = []
  /// The ports that have started or changed, until ``settling`` has passed.
  private var settlingPorts: [(address: SequencerAddress, until: Instant)] = []

  /// Creates an empty memory.
  public init() {}

  /// When ``due(at:ports:)`` must be called next; nil if no port is settling.
  public var nextDue: Instant? { settlingPorts.map(\.until).min() }

  /// Processes an announcement of the kernel. Announcements must be passed in the order of their arrival.
  ///
  /// - Parameter ports: the current ports. Evaluated only if their names are needed.
  /// - Returns: the events for the user.
  public mutating func record(
    _ event: SequencerArrival.Event, at instant: Instant, ports: @autoclosure () -> [SequencerPort]
  ) -> [Change] {
    switch event {
    case .subscribed(let link): return recordConnection(link, ports()).map { [$0] } ?? []
    case .unsubscribed(let link): entries.removeAll { $0.link == link && $0.state == .connected }
    case .portExited(let address):
      settlingPorts.removeAll { $0.address == address }
      return markLost { other, _ in other == address }
    case .clientExited(let client):
      settlingPorts.removeAll { $0.address.client == client }
      return markLost { other, _ in other.client == client }
    case .portStarted(let address):
      // A new port under an address that another port may have had: the settling time begins again.
      settlingPorts.removeAll { $0.address == address }
      startSettling(address, at: instant)
    case .portChanged(let address): startSettling(address, at: instant)
    case .clientChanged(let client):
      for port in ports() where port.address.client == client { startSettling(port.address, at: instant) }
    case .message, .ignored, .overflow: break
    }
    return []
  }

  /// Returns the connections that must be restored at `instant`, because their ports have returned and settled.
  public mutating func due(at instant: Instant, ports: @autoclosure () -> [SequencerPort]) -> [SequencerLink] {
    let settled = settlingPorts.filter { $0.until <= instant }.map(\.address)
    guard !settled.isEmpty else { return [] }
    settlingPorts.removeAll { $0.until <= instant }
    let ports = ports()
    return settled.flatMap { address in
      ports.first { $0.address == address }.map { connectionsToRestore(for: $0, among: ports) } ?? []
    }
  }

  /// Records that the kernel refused to restore `link`, for example because another program uses the port exclusively for a
  /// moment. The connection is due again after ``settling``.
  public mutating func refused(_ link: SequencerLink, at instant: Instant) {
    for index in entries.indices where entries[index].link == link && entries[index].state == .reconnecting {
      entries[index].state = .lost
    }
    startSettling(link.other, at: instant)
  }

  /// Resynchronizes with the kernel after lost announcements (``SequencerArrival/Event/overflow``). A missing
  /// connection between two existing ports counts as disconnected by the user.
  ///
  /// - Parameters:
  ///   - links: the current connections of the local ports.
  ///   - ports: the current ports.
  /// - Returns: the events for the user.
  public mutating func resynchronize(
    links: Set<SequencerLink>, ports: [SequencerPort], at instant: Instant
  ) -> [Change] {
    var changes = markLost { address, name in !ports.contains { $0.address == address && $0.identity == name } }
    entries.removeAll { $0.state == .connected && !links.contains($0.link) }
    changes += links.compactMap { recordConnection($0, ports) }
    // The starts of these ports may be among the lost announcements.
    for port in ports
    where entries.contains(where: { $0.state != .connected && $0.remotePort.identity == port.identity }) {
      startSettling(port.address, at: instant)
    }
    return changes
  }

  /// Records the connection `link`. Returns an event if it is the first connection of a port that has returned. Does nothing
  /// if the connection is known or its port does not exist any longer.
  private mutating func recordConnection(_ link: SequencerLink, _ ports: [SequencerPort]) -> Change? {
    guard !entries.contains(where: { $0.link == link && $0.state == .connected }),
      let port = ports.first(where: { $0.address == link.other })
    else { return nil }
    // The connections to ports of this name that are lost or are being restored.
    let disconnected = entries.indices.filter {
      entries[$0].state != .connected && entries[$0].remotePort.identity == port.identity
    }
    let isBack = !disconnected.isEmpty && !entries.contains { $0.state == .connected && $0.link.other == link.other }
    // The new connection replaces a lost connection of the same local port, preferably the one to the same address. Without this
    // replacement, the lost connection would be restored as well.
    let sameLocalPort = disconnected.filter { entries[$0].link.port == link.port }
    if let index = sameLocalPort.first(where: { entries[$0].link.other == link.other }) ?? sameLocalPort.first {
      entries[index] = Entry(link: link, remotePort: port)
    } else {
      entries.append(Entry(link: link, remotePort: port))
    }
    return isBack ? .back(port.name) : nil
  }

  /// Marks the connections with all matching ports as lost. Returns one event per port name.
  private mutating func markLost(where matches: (SequencerAddress, SequencerPort.Identity) -> Bool) -> [Change] {
    var changes: [Change] = []
    for index in entries.indices where entries[index].state != .lost {
      let entry = entries[index]
      guard matches(entry.link.other, entry.remotePort.identity) else { continue }
      entries[index].state = .lost
      // The loss of a connection that was being restored has already been reported.
      if entry.state == .connected, !changes.contains(.gone(entry.remotePort.name)) {
        changes.append(.gone(entry.remotePort.name))
      }
    }
    let excess = entries.count { $0.state == .lost } - Self.capacity
    for _ in 0..<max(0, excess) {
      if let oldest = entries.firstIndex(where: { $0.state == .lost }) { entries.remove(at: oldest) }
    }
    return changes
  }

  /// Starts the settling time of a port. Does nothing if there is no connection to restore, or if the port is settling
  /// already.
  private mutating func startSettling(_ address: SequencerAddress, at instant: Instant) {
    guard entries.contains(where: { $0.state != .connected }), !settlingPorts.contains(where: { $0.address == address })
    else {
      return
    }
    settlingPorts.append((address, instant + Self.settling))
  }

  /// Returns the connections to restore for `port`: the lost connections of ports with its name, including those that are being restored.
  ///
  /// Two devices of the same model have ports of the same name. A *twin* of `port` is another present port of this name
  /// that has no connection. If there is a twin, the lost connections are divided: `port` gets those of one vanished port,
  /// preferably of the one that had the same address, and the others are left for the twin.
  private mutating func connectionsToRestore(
    for port: SequencerPort, among ports: [SequencerPort]
  ) -> [SequencerLink] {
    var disconnected = entries.indices.filter {
      entries[$0].state != .connected && entries[$0].remotePort.identity == port.identity
    }
    let hasTwin = ports.contains { twin in
      twin.identity == port.identity && twin.address != port.address
        && !entries.contains { $0.state == .connected && $0.link.other == twin.address }
    }
    // `port` gets the connections of one vanished port. `former` is one of these connections. The first choice is the vanished port that
    // had the address of `port`. Otherwise, connections that are being restored are excluded, because they belong to the twin.
    let former =
      disconnected.first { entries[$0].link.other == port.address }
      ?? disconnected.first { entries[$0].state == .lost }
    if hasTwin, let formerAddress = former.map({ entries[$0].link.other }) {
      disconnected.removeAll { entries[$0].link.other != formerAddress }
    }
    var links: [SequencerLink] = []
    for index in disconnected {
      let link = SequencerLink(entries[index].link.port, port.address)
      // Two ports of the same name may have been connected to one local port. `port` is connected once.
      guard !links.contains(link) else { continue }
      entries[index].link = link
      entries[index].state = .reconnecting
      links.append(link)
    }
    return links
  }
}
