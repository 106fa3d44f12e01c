public import MusicalTime

/// Remembers who was connected to our ports, so that a device that went away finds its connections when it is back.
///
/// A port is known by its client's name and its own: numbers change. When it vanishes (the kernel announces the exit of
/// the port, then, of its client; with no word of its connections) what was connected to it is kept as gone. When a
/// port of that name starts, its connections are to be made again, but only after ``settling``: programs name
/// themselves and connect themselves after they have made their ports, and a program that finds its connection made
/// already fails (`aseqdump -p`). Whoever disconnects a port by hand wants it so: that connection is forgotten.
///
/// No more than ``room`` connections are remembered as gone: the oldest are forgotten first.
public struct Reconnections: Sendable {
  /// What to tell the player.
  public enum Change: Hashable, Sendable {
    /// The port of this name vanished, with its connections.
    case gone(String)
    /// It is connected again.
    case back(String)
  }

  /// How long a port is left alone after it has started.
  public static let settling = Nanoseconds.milliseconds(500)
  /// How many connections with vanished ports are remembered.
  public static let room = 64

  private struct Entry: Sendable {
    enum State {
      case made
      case gone
      /// Its port is back; the connection is being made.
      case offered
    }
    var link: SequencerLink
    var port: SequencerPort
    var state = State.made
  }

  private var entries: [Entry] = []
  private var started: [(address: SequencerAddress, until: Instant)] = []

  public init() {}

  /// When to ask ``due(at:ports:)`` next; nil while there is nothing to wait for.
  public var nextDue: Instant? { started.map(\.until).min() }

  /// Takes an announcement in, in the order of their arrival. `ports` lists what is there now; it is asked for where
  /// names matter.
  public mutating func note(
    _ event: SequencerArrival.Event, at instant: Instant, ports: @autoclosure () -> [SequencerPort]
  ) -> [Change] {
    switch event {
    case .subscribed(let link): return made(link, ports()).map { [$0] } ?? []
    case .unsubscribed(let link): entries.removeAll { $0.link == link && $0.state == .made }
    case .portExited(let address):
      started.removeAll { $0.address == address }
      return exited { other, _ in other == address }
    case .clientExited(let client):
      started.removeAll { $0.address.client == client }
      return exited { other, _ in other.client == client }
    case .portStarted(let address):
      started.removeAll { $0.address == address }
      start(address, at: instant)
    case .portChanged(let address): start(address, at: instant)
    case .clientChanged(let client):
      for port in ports() where port.address.client == client { start(port.address, at: instant) }
    case .message, .ignored, .overflow: break
    }
    return []
  }

  /// The connections to be made now, with ports that have come back.
  public mutating func due(at instant: Instant, ports: @autoclosure () -> [SequencerPort]) -> [SequencerLink] {
    let settled = started.filter { $0.until <= instant }.map(\.address)
    guard !settled.isEmpty else { return [] }
    started.removeAll { $0.until <= instant }
    let ports = ports()
    return settled.flatMap { address in
      ports.first { $0.address == address }.map { offers(to: $0, among: ports) } ?? []
    }
  }

  /// The kernel would not make this connection: another program may have the port for a moment. It is due again after
  /// ``settling``.
  public mutating func refused(_ link: SequencerLink, at instant: Instant) {
    for index in entries.indices where entries[index].link == link && entries[index].state == .offered {
      entries[index].state = .gone
    }
    start(link.other, at: instant)
  }

  /// Takes stock anew, after announcements were lost (``SequencerArrival/Event/overflow``): `links` are the connections
  /// there are, `ports` the ports. A connection that is missing between ports that are both there counts as undone by
  /// hand.
  public mutating func resynchronize(
    links: Set<SequencerLink>, ports: [SequencerPort], at instant: Instant
  ) -> [Change] {
    var changes = exited { address, name in !ports.contains { $0.address == address && $0.identity == name } }
    entries.removeAll { $0.state == .made && !links.contains($0.link) }
    changes += links.compactMap { made($0, ports) }
    for port in ports where entries.contains(where: { $0.state != .made && $0.port.identity == port.identity }) {
      start(port.address, at: instant)
    }
    return changes
  }

  private mutating func made(_ link: SequencerLink, _ ports: [SequencerPort]) -> Change? {
    guard !entries.contains(where: { $0.link == link && $0.state == .made }),
      let port = ports.first(where: { $0.address == link.other })
    else { return nil }
    let lost = entries.indices.filter { entries[$0].state != .made && entries[$0].port.identity == port.identity }
    let isBack = !lost.isEmpty && !entries.contains { $0.state == .made && $0.link.other == link.other }
    let own = lost.filter { entries[$0].link.port == link.port }
    if let index = own.first(where: { entries[$0].link.other == link.other }) ?? own.first {
      entries[index] = Entry(link: link, port: port)
    } else {
      entries.append(Entry(link: link, port: port))
    }
    return isBack ? .back(port.name) : nil
  }

  private mutating func exited(where matches: (SequencerAddress, SequencerPort.Identity) -> Bool) -> [Change] {
    var changes: [Change] = []
    for index in entries.indices where entries[index].state != .gone {
      let entry = entries[index]
      guard matches(entry.link.other, entry.port.identity) else { continue }
      entries[index].state = .gone
      // One that was not yet back has been told of.
      if entry.state == .made, !changes.contains(.gone(entry.port.name)) { changes.append(.gone(entry.port.name)) }
    }
    let excess = entries.count { $0.state == .gone } - Self.room
    for _ in 0..<max(0, excess) {
      if let oldest = entries.firstIndex(where: { $0.state == .gone }) { entries.remove(at: oldest) }
    }
    return changes
  }

  /// Nobody is waited for while nobody is missing.
  private mutating func start(_ address: SequencerAddress, at instant: Instant) {
    guard entries.contains(where: { $0.state != .made }), !started.contains(where: { $0.address == address }) else {
      return
    }
    started.append((address, instant + Self.settling))
  }

  /// All that is lost of the port's name, unless another port of that name waits as well: then each gets what one of
  /// them had, the one under its number if there is one.
  private mutating func offers(to port: SequencerPort, among ports: [SequencerPort]) -> [SequencerLink] {
    var lost = entries.indices.filter { entries[$0].state != .made && entries[$0].port.identity == port.identity }
    let hasTwin = ports.contains { twin in
      twin.identity == port.identity && twin.address != port.address
        && !entries.contains { $0.state == .made && $0.link.other == twin.address }
    }
    let old = lost.first { entries[$0].link.other == port.address } ?? lost.first { entries[$0].state == .gone }
    if hasTwin, let old = old.map({ entries[$0].link.other }) { lost.removeAll { entries[$0].link.other != old } }
    var links: [SequencerLink] = []
    for index in lost {
      let link = SequencerLink(entries[index].link.port, port.address)
      guard !links.contains(link) else { continue }
      entries[index].link = link
      entries[index].state = .offered
      links.append(link)
    }
    return links
  }
}
