import MusicalTime
import RTPMIDI
import Seeds

/// Endpoints on a network of virtual time: it delays, loses, repeats and so reorders their datagrams. Endpoint `k` has
/// its control port at address 2k and its data port at 2k + 1, until it moves, and a clock that is `offsets[k]` ahead of
/// the network's.
struct VirtualNetwork {
  typealias Output = Endpoint.Output

  struct Flight {
    let due: Instant
    let datagram: [UInt8]
    let from: Int
    let to: Int
  }

  struct Standing {
    let info: SessionInfo
    var identity: UInt64?
  }

  /// A peer that endpoint `seeker` has lost.
  private struct Seeking {
    let seeker: Int
    let info: SessionInfo
    let identity: UInt64?
    var next: Instant
    let end: Instant
  }

  var endpoints: [Endpoint]
  var offsets: [Nanoseconds]
  var loss: Double = 0
  var repetition: Double = 0
  /// In nanoseconds, one way.
  var delay: ClosedRange<Int64> = 1_000_000...1_000_000
  /// Endpoints that neither send nor receive.
  var isCutOff: Set<Int> = []
  /// Endpoints that know no probes: they send none, and hear of none.
  var isForeign: Set<Int> = []
  /// Whether who has lost a recognised peer tries to connect to it every second for a minute, as the engine does.
  var isSeeking = false
  /// The addresses of the endpoints' control ports.
  private(set) var homes: [Int]
  /// Whether CK0s and probe requests are answered before the endpoint sees them, as the receiving thread does.
  var answersEarly = false
  /// Every datagram that an address has sent.
  private(set) var sent: [Int: [[UInt8]]] = [:]
  /// The sessions that stand at each endpoint.
  private(set) var standing: [[SessionID: Standing]]
  private var seeking: [Seeking] = []
  /// What the endpoints told, sends left out.
  private(set) var told: [[Output]]
  private(set) var now = Instant(nanoseconds: 0)
  private(set) var flights: [Flight] = []
  private var random: SplitMix

  init(_ count: Int, seed: UInt64 = 1) {
    random = SplitMix(seed: seed)
    endpoints = []
    for index in 0..<count {
      endpoints.append(
        Endpoint(
          name: "peer \(index)", identity: UInt64(100 + index), random: SplitMix(seed: seed &* 977 &+ UInt64(index))))
    }
    offsets = (0..<count).map { .seconds(Int64($0) * 1000 + 10) }
    told = Array(repeating: [], count: count)
    standing = Array(repeating: [:], count: count)
    homes = (0..<count).map { 2 * $0 }
  }

  /// The time by the clock of endpoint `k`.
  func clock(_ k: Int) -> Instant { now + offsets[k] }

  mutating func connect(_ k: Int, to other: Int) -> SessionID {
    defer { drain(k) }
    return try! endpoints[k].connect(to: .at(2 * other), data: .at(2 * other + 1), at: clock(k))
  }

  /// Endpoint `k` has another address from now on.
  mutating func move(_ k: Int, to home: Int) { homes[k] = home }

  /// Endpoint `k` is gone without a BY, and another one with its name, identity and address is there in its place.
  mutating func restart(_ k: Int, seed: UInt64) {
    let old = endpoints[k]
    endpoints[k] = Endpoint(name: old.name, identity: old.identity, random: SplitMix(seed: seed))
    standing[k] = [:]
    seeking.removeAll { $0.seeker == k }
  }

  private func owner(of address: Int) -> Int? { homes.firstIndex { $0 == address & ~1 } }

  /// Puts a datagram on its way.
  mutating func send(_ datagram: [UInt8], from: Int, to: Int) {
    sent[from, default: []].append(datagram)
    guard !isCutOff.contains(owner(of: from) ?? -1) && !isCutOff.contains(owner(of: to) ?? -1) else { return }
    if isForeign.contains(owner(of: from) ?? -1) || isForeign.contains(owner(of: to) ?? -1),
      ClockProbe(datagram.span) != nil
    {
      return
    }
    var copies = 1
    if Double.random(in: 0..<1, using: &random) < loss { copies = 0 }
    if Double.random(in: 0..<1, using: &random) < repetition { copies += 1 }
    for _ in 0..<copies {
      let due = now + Nanoseconds(Int64.random(in: delay, using: &random))
      let place = flights.firstIndex { $0.due > due } ?? flights.endIndex
      flights.insert(Flight(due: due, datagram: datagram, from: from, to: to), at: place)
    }
  }

  /// Takes an endpoint's outputs: sends what is to be sent and notes the rest.
  mutating func drain(_ k: Int) {
    let endpoint = endpoints[k]
    for output in endpoint.drain() {
      switch output {
      case .send(let datagram, let to, let port):
        send(datagram, from: homes[k] + (port == .data ? 1 : 0), to: to.number)
      case .probe(let session, let to):
        var request: ClockProbe?
        endpoint.sendProbe(on: session) { probe in
          request = probe
          return clock(k)
        }
        request?.transmit = clock(k)
        if let request { send(octets { _ = request.append(to: &$0) }, from: homes[k] + 1, to: to.number) }
      case .clockPacket(let session, let to):
        if let packet = endpoint.clockPacket(on: session, sentAt: clock(k)) {
          send(octets { _ = packet.append(to: &$0) }, from: homes[k] + 1, to: to.number)
        }
      default:
        told[k].append(output)
        follow(output, of: k)
      }
    }
  }

  private mutating func follow(_ output: Output, of k: Int) {
    switch output {
    case .established(let id, let info):
      standing[k][id] = Standing(info: info)
      seeking.removeAll { $0.seeker == k && $0.info.control == info.control }
    case .recognised(let id, let identity):
      standing[k][id]?.identity = identity
      seeking.removeAll { $0.seeker == k && $0.identity == identity }
    case .closed(let id), .refused(let id): standing[k][id] = nil
    case .lost(let id):
      guard let lost = standing[k].removeValue(forKey: id), lost.identity != nil, isSeeking else { break }
      seeking.append(
        Seeking(
          seeker: k, info: lost.info, identity: lost.identity, next: now + .seconds(1), end: now + .seconds(60)))
    default: break
    }
  }

  private mutating func seek() {
    seeking.removeAll { $0.end <= now }
    for n in seeking.indices where seeking[n].next <= now {
      let (k, info) = (seeking[n].seeker, seeking[n].info)
      _ = try? endpoints[k].connect(to: info.control, data: info.data, expectsTutti: true, at: clock(k))
      seeking[n].next = now + .seconds(1)
    }
    for k in endpoints.indices { drain(k) }
  }

  /// Runs until `end`, or until `isDone` holds. Returns whether it did.
  @discardableResult
  mutating func run(for length: Nanoseconds, until isDone: (borrowing VirtualNetwork) -> Bool = { _ in false }) -> Bool
  {
    let end = now + length
    while !isDone(self) {
      let deadlines = endpoints.indices.compactMap { k in endpoints[k].nextDeadline.map { ($0 - offsets[k], k) } }
      let deadline = deadlines.min { $0.0 < $1.0 }
      let sought = seeking.map(\.next).min() ?? .distantFuture
      if let flight = flights.first, flight.due <= min(deadline?.0 ?? .distantFuture, sought), flight.due <= end {
        flights.removeFirst()
        now = flight.due
        deliver(flight)
      } else if sought <= end, sought < deadline?.0 ?? .distantFuture {
        if sought > now { now = sought }
        seek()
      } else if let (instant, k) = deadline, instant <= end {
        if instant > now { now = instant }
        endpoints[k].advance(to: clock(k))
        drain(k)
      } else {
        now = end
        return false
      }
    }
    return true
  }

  private mutating func deliver(_ flight: Flight) {
    guard let k = owner(of: flight.to), !isCutOff.contains(k) else { return }
    let arrival = clock(k)
    var answer: Instant?
    if answersEarly {
      let endpoint = endpoints[k]
      if let packet = ClockPacket(flight.datagram.span), packet.count == 0 {
        let reply = packet.reply(from: endpoint.ssrc, sentAt: arrival)!
        send(octets { _ = reply.append(to: &$0) }, from: flight.to, to: flight.from)
        answer = arrival
      }
      if let probe = ClockProbe(flight.datagram.span),
        let reply = probe.answer(
          from: endpoint.ssrc, identity: endpoint.identity, pace: endpoint.pace, receivedAt: arrival, sentAt: arrival)
      {
        send(octets { _ = reply.append(to: &$0) }, from: flight.to, to: flight.from)
        answer = arrival
      }
    }
    endpoints[k].receive(
      flight.datagram, from: .at(flight.from), port: flight.to % 2 == 0 ? .control : .data, at: arrival,
      answeredAt: answer)
    drain(k)
  }
}
