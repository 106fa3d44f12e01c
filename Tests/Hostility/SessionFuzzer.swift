import MusicalTime
import RTPMIDI
import Seeds

/// An ``Endpoint`` among four genuine peers and any number of hostile ones.
///
/// Each input is one of: a hostile datagram, from a stranger or under a member's address; a stranger's whole handshake; a
/// genuine datagram, in any order, twice or never; some time; a peer that is restarted, connects or leaves. After each,
/// what must always hold is looked at: the bounds of everything that grows, each datagram counted once as accepted or
/// under one reason, and nothing left that was due.
public struct SessionFuzzer {
  /// Two ports of one host.
  public struct Address: PeerAddress {
    var host: UInt32
    var port: UInt16
    public func isSameHost(as other: Address) -> Bool { host == other.host }
  }

  /// What did not hold.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private struct Flight {
    let datagram: [UInt8]
    let from: Address
    let to: Address
  }

  /// The one under test, of host 0; the others are genuine peers, two of them on one host.
  private var endpoints: [Endpoint<Address>] = []
  private static let controls = [(0, 5004), (1, 5004), (1, 5006), (2, 5004), (3, 5004)].map {
    Address(host: $0, port: $1)
  }
  private var flights: [Flight] = []
  private var hostile: HostileDatagrams
  private var random: SplitMix
  private let seed: UInt64
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var sequence: UInt16 = 65_000
  /// Inputs given so far.
  public private(set) var inputs = 0

  public init(seed: UInt64) {
    self.seed = seed
    random = SplitMix(seed: seed)
    hostile = HostileDatagrams(seed: seed &+ 1)
    for k in Self.controls.indices {
      endpoints.append(Endpoint(name: "peer \(k)", identity: UInt64(k), random: SplitMix(seed: random.next())))
    }
  }

  /// What has become of the datagrams given to the endpoint under test.
  public var counters: Counters { endpoints[0].counters }
  /// How many sessions it has.
  public var sessionCount: Int { endpoints[0].sessionCount }

  /// Gives `count` more inputs.
  ///
  /// - Throws: ``Failure`` at the first after which something does not hold.
  public mutating func run(inputs count: Int) throws(Failure) {
    for _ in 0..<count {
      try step()
      inputs += 1
    }
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func step() throws(Failure) {
    switch pick(100) {
    case 0..<45: try give(hostile.next(), from: source(), pick(2) == 0 ? .control : .data)
    case 45..<50: try handshake()
    case 50..<80: try deliver()
    case 80..<85: play()
    case 85..<99: try pass(Nanoseconds.microseconds(Int64(pick(20_000))))
    default: try disturb()
    }
  }

  /// A stranger's address, or a member's.
  private mutating func source() -> Address {
    if pick(2) == 0 {
      var address = Self.controls[1 + pick(Self.controls.count - 1)]
      address.port += UInt16(pick(2))
      return address
    }
    return Address(host: UInt32(10 + pick(2000)), port: UInt16(5004 + pick(3)))
  }

  /// A stranger that does all that it takes to get a session, and no more.
  private mutating func handshake() throws(Failure) {
    let control = Address(host: UInt32(10 + pick(2000)), port: 5004)
    let command = SessionCommand(.invitation, token: UInt32(pick(1 << 32)), ssrc: UInt32(pick(1 << 32)))
    let datagram = octets { _ = command.append(to: &$0) }
    try give(datagram, from: control, .control)
    try give(datagram, from: Address(host: control.host, port: 5005), .data)
  }

  /// One of the datagrams under way, any; it may come again, or have been lost.
  private mutating func deliver() throws(Failure) {
    guard !flights.isEmpty else { return }
    let flight = flights.remove(at: pick(flights.count))
    let fate = pick(10)
    if fate == 0 { return }
    if fate == 1 { flights.append(flight) }
    guard let k = Self.controls.firstIndex(where: { $0.host == flight.to.host && $0.port == flight.to.port & ~1 })
    else { return }
    let port: Port = flight.to.port % 2 == 0 ? .control : .data
    if k == 0 { return try give(flight.datagram, from: flight.from, port) }
    endpoints[k].receive(flight.datagram, from: flight.from, port: port, at: now)
    send(from: k)
  }

  /// A genuine peer sends MIDI, with a journal that is none now and then.
  private mutating func play() {
    let k = 1 + pick(Self.controls.count - 1)
    sequence &+= 1
    let commands: [[UInt8]] = [
      [0xF8], [0xFA], [0x90, 60, 1], [0xF0, 0x7D, 1, 0xF7], [0xF0, 1, 2, 0xF0], [0xF7, 3, 0xF7],
    ]
    let command = commands[pick(commands.count)]
    var datagram: [UInt8] = [0x80, 0x61, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
    for word in [UInt32(truncatingIfNeeded: now.hundredMicroseconds), endpoints[k].ssrc] {
      for shift in [24, 16, 8, 0] { datagram.append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
    }
    let hasJournal = pick(4) == 0
    datagram.append(UInt8(command.count) | (hasJournal ? 0x40 : 0))
    datagram += command
    if hasJournal { for _ in 0..<pick(60) { datagram.append(UInt8(pick(256))) } }
    var data = Self.controls[k]
    data.port += 1
    put(Flight(datagram: datagram, from: data, to: Address(host: 0, port: 5005)))
  }

  /// Peers come and go, and time passes by the minute.
  private mutating func disturb() throws(Failure) {
    let k = pick(Self.controls.count)
    switch pick(8) {
    case 0, 1: connect(0, to: k)
    case 2, 3: connect(k, to: 0)
    case 4 where k > 0:
      endpoints[k] = Endpoint(name: "peer \(k)", identity: UInt64(k), random: SplitMix(seed: random.next()))
    case 5: endpoints[k].closeAll(at: now)
    default: try pass(.milliseconds(Int64(pick(pick(50) == 0 ? 70_000 : 2000))))
    }
    send(from: k)
    send(from: 0)
  }

  private mutating func connect(_ k: Int, to other: Int) {
    var data = Self.controls[other]
    data.port += 1
    _ = try? endpoints[k].connect(to: Self.controls[other], data: data, at: now)
  }

  private mutating func give(_ datagram: [UInt8], from address: Address, _ port: Port) throws(Failure) {
    endpoints[0].receive(datagram, from: address, port: port, at: now, answered: pick(2) == 0)
    // An octet makes one message at most.
    let told = send(from: 0)
    try check(told <= datagram.count + 8, "\(told) outputs of a datagram of \(datagram.count) octets")
  }

  private mutating func pass(_ time: Nanoseconds) throws(Failure) {
    now = now + time
    for k in endpoints.indices {
      endpoints[k].advance(to: now)
      let told = send(from: k)
      try check(told <= 8 * (endpoints[k].waitingCount + 8) + 8 * 1100, "\(told) outputs of an advance")
      if let next = endpoints[k].nextDeadline { try check(next > now, "what was due at \(next) is left at \(now)") }
    }
  }

  /// Puts on its way what an endpoint wants sent. Returns how much it had to say.
  @discardableResult private mutating func send(from k: Int) -> Int {
    let outputs = endpoints[k].drain()
    for case .send(let datagram, let to, let port) in outputs {
      var from = Self.controls[k]
      if port == .data { from.port += 1 }
      put(Flight(datagram: datagram, from: from, to: to))
    }
    return outputs.count
  }

  private mutating func put(_ flight: Flight) {
    if pick(4) == 0 { hostile.see(flight.datagram) }
    // To strangers nothing is delivered.
    guard flight.to.host < 10 else { return }
    if flights.count == 256 { flights.remove(at: pick(256)) }
    flights.append(flight)
  }

  private func check(_ holds: Bool, _ what: @autoclosure () -> String) throws(Failure) {
    let endpoint = endpoints[0]
    guard endpoint.counters.received == endpoint.counters.accepted + endpoint.counters.dropped else {
      throw failure("a datagram is not counted once")
    }
    guard endpoint.sessionCount <= Endpoint<Address>.sessionLimit, endpoint.halfOpenCount <= 64,
      endpoint.waitingCount <= 2 * endpoint.sessionCount
    else {
      throw failure(
        "\(endpoint.sessionCount) sessions, \(endpoint.waitingCount) waiting, \(endpoint.halfOpenCount) half open")
    }
    guard holds else { throw failure(what()) }
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "seed \(seed), input \(inputs): \(what)")
  }
}
