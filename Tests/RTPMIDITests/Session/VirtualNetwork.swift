import MusicalTime
import RTPMIDI
import Seeds

/// Endpoints on a network of virtual time: it delays, loses, repeats and so reorders their datagrams. Endpoint `k` has
/// its control port at address 2k and its data port at 2k + 1, and a clock that is `offsets[k]` ahead of the network's.
struct VirtualNetwork {
  typealias Output = Endpoint<Int>.Output

  struct Flight {
    let due: Instant
    let datagram: [UInt8]
    let from: Int
    let to: Int
  }

  var endpoints: [Endpoint<Int>]
  var offsets: [Nanoseconds]
  var loss: Double = 0
  var repetition: Double = 0
  /// In nanoseconds, one way.
  var delay: ClosedRange<Int64> = 1_000_000...1_000_000
  /// Endpoints that neither send nor receive.
  var isCutOff: Set<Int> = []
  /// Whether CK0s and probe requests are answered before the endpoint sees them, as the receiving thread does.
  var answersEarly = false
  /// Every datagram that an address has sent.
  private(set) var sent: [Int: [[UInt8]]] = [:]
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
  }

  /// The time by the clock of endpoint `k`.
  func clock(_ k: Int) -> Instant { now + offsets[k] }

  mutating func connect(_ k: Int, to other: Int) -> SessionID {
    defer { drain(k) }
    return try! endpoints[k].connect(to: 2 * other, data: 2 * other + 1, at: clock(k))
  }

  /// Puts a datagram on its way.
  mutating func send(_ datagram: [UInt8], from: Int, to: Int) {
    sent[from, default: []].append(datagram)
    guard !isCutOff.contains(from / 2) && !isCutOff.contains(to / 2) else { return }
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
    for output in endpoints[k].drain() {
      if case .send(let datagram, let to, let port) = output {
        send(datagram, from: 2 * k + (port == .data ? 1 : 0), to: to)
      } else {
        told[k].append(output)
      }
    }
  }

  /// Runs until `end`, or until `isDone` holds. Returns whether it did.
  @discardableResult
  mutating func run(for length: Nanoseconds, until isDone: (borrowing VirtualNetwork) -> Bool = { _ in false }) -> Bool
  {
    let end = now + length
    while !isDone(self) {
      let deadlines = endpoints.indices.compactMap { k in endpoints[k].nextDeadline.map { ($0 - offsets[k], k) } }
      let deadline = deadlines.min { $0.0 < $1.0 }
      if let flight = flights.first, flight.due <= (deadline?.0 ?? .distantFuture), flight.due <= end {
        flights.removeFirst()
        now = flight.due
        deliver(flight)
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
    let k = flight.to / 2
    guard k < endpoints.count && !isCutOff.contains(k) else { return }
    let arrival = clock(k)
    var answered = false
    if answersEarly {
      let endpoint = endpoints[k]
      if let packet = ClockPacket(flight.datagram.span), packet.count == 0 {
        let reply = packet.reply(from: endpoint.ssrc, receivedAt: arrival)!
        send(octets { _ = reply.append(to: &$0) }, from: flight.to, to: flight.from)
        answered = true
      }
      if let probe = ClockProbe(flight.datagram.span),
        let reply = probe.reply(
          from: endpoint.ssrc, identity: endpoint.identity, receivedAt: arrival, sentAt: arrival)
      {
        send(octets { _ = reply.append(to: &$0) }, from: flight.to, to: flight.from)
        answered = true
      }
    }
    endpoints[k].receive(
      flight.datagram, from: flight.from, port: flight.to % 2 == 0 ? .control : .data, at: arrival, answered: answered)
    drain(k)
  }
}

extension VirtualNetwork {
  /// Datagrams that `address` has sent, of the command with these two letters.
  func sent(_ letters: String, by address: Int) -> [[UInt8]] {
    (sent[address] ?? []).filter { $0.count > 4 && $0[0] == 0xFF && Array($0[2..<4]) == Array(letters.utf8) }
  }

  func info(_ k: Int) -> SessionInfo<Int>? {
    for case .established(_, let info) in told[k] { return info }
    return nil
  }

  func session(_ k: Int) -> SessionID? {
    for case .established(let id, _) in told[k].reversed() { return id }
    return nil
  }

  func isRecognised(_ k: Int) -> Bool {
    told[k].contains { if case .recognised = $0 { true } else { false } }
  }

  func exchanges(_ k: Int) -> [ClockExchange] {
    told[k].compactMap { if case .clock(_, let exchange) = $0 { exchange } else { nil } }
  }

  /// What was told beside clocks.
  func news(_ k: Int) -> [Output] {
    told[k].filter { if case .clock = $0 { false } else { true } }
  }
}
