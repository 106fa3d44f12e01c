import MusicalTime
import Seeds
import Transports

/// Devices that vanish and return under any number, and people who connect and disconnect them, announced as the kernel
/// announces them to a peer that does what its ``Reconnections`` say.
struct VirtualStudio {
  struct Wish: Hashable {
    let port: Sequencer.Port
    let name: String
  }

  private let names: [String]
  private var there: [String: SequencerPort] = [:]
  private var now = Instant(nanoseconds: 0)
  private var reconnections = Reconnections()
  private var made: Set<SequencerLink> = []
  private(set) var wanted: Set<Wish> = []

  init(names: [String], using random: inout SplitMix) {
    self.names = names
    for name in names { enter(name, using: &random) }
  }

  /// The connections there are, by name.
  var links: Set<Wish> {
    Set(
      made.compactMap { link in
        there.values.first { $0.address == link.other }.map { Wish(port: link.port, name: $0.clientName) }
      })
  }

  mutating func step(using random: inout SplitMix) {
    let name = names.randomElement(using: &random)!
    let own = Sequencer.Port.allCases.randomElement(using: &random)!
    switch Int.random(in: 0..<5, using: &random) {
    case 0: if let port = there[name] { connect(SequencerLink(own, port.address)) }
    case 1: if let port = there[name] { disconnect(SequencerLink(own, port.address), name) }
    case 2: leave(name)
    case 3: if there[name] == nil { enter(name, using: &random) }
    default: wait(.milliseconds(random.integer(in: 1...700)))
    }
  }

  mutating func returnAll(using random: inout SplitMix) {
    for name in names where there[name] == nil { enter(name, using: &random) }
    wait(.seconds(1))
  }

  private mutating func connect(_ link: SequencerLink) {
    guard made.insert(link).inserted else { return }
    for port in there.values where port.address == link.other {
      wanted.insert(Wish(port: link.port, name: port.clientName))
    }
    note(.subscribed(link))
  }

  private mutating func disconnect(_ link: SequencerLink, _ name: String) {
    guard made.remove(link) != nil else { return }
    wanted.remove(Wish(port: link.port, name: name))
    note(.unsubscribed(link))
  }

  private mutating func enter(_ name: String, using random: inout SplitMix) {
    let taken = Set(there.values.map(\.address.client))
    let free = (UInt8(128)...140).filter { !taken.contains($0) }
    let address = SequencerAddress(client: free.randomElement(using: &random)!, port: 0)
    there[name] = SequencerPort(address: address, clientName: name, portName: "MIDI", gives: true, takes: true)
    note(.portStarted(address))
  }

  private mutating func leave(_ name: String) {
    guard let port = there.removeValue(forKey: name) else { return }
    made = made.filter { $0.other != port.address }
    note(.portExited(port.address))
    note(.clientExited(port.address.client))
  }

  private mutating func wait(_ length: Nanoseconds) {
    now = now + length
    for link in reconnections.due(at: now, ports: Array(there.values)) { connect(link) }
  }

  private mutating func note(_ event: SequencerArrival.Event) {
    _ = reconnections.note(event, at: now, ports: Array(there.values))
  }
}
