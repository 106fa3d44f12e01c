import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI

/// One follower on two ports of its own. Its session's life is an `Endpoint`'s, as in a peer; its MIDI is read by a
/// `PacketReceiver` beside it, so that a tick allocates nothing.
final class Follower {
  let control: LoopbackSocket
  let data: LoopbackSocket
  /// Whether it answers Tutti's probes and sends its own. Another kind never sees them.
  private let isTutti: Bool
  private let endpoint: Endpoint
  private var receiver = PacketReceiver(ssrc: 0, systemExclusiveCapacity: 256)
  private var master: SocketAddress?
  private var feedbackDue = Instant.distantFuture
  private(set) var hasJoined = false
  private(set) var hasLeft = false
  /// When there is next something to do.
  private(set) var due = Instant.distantFuture

  private(set) var heard = Heard()
  /// The row of the tick it expects next.
  private var expected = 0
  /// Ticks that a journal has brought back since the last that came by itself.
  private var restored = 0
  private var isRunning = false

  init(port: UInt16, isTutti: Bool) throws(FollowersError) {
    control = try LoopbackSocket(port: port)
    data = try LoopbackSocket(port: port + 1)
    self.isTutti = isTutti
    var random = SystemRandomNumberGenerator()
    endpoint = Endpoint(name: "follower \(port)", identity: random.next(), random: random)
  }

  /// Invites the master, whose control port this is.
  func connect(to port: UInt16, at now: Instant) {
    _ = try? endpoint.connect(to: SocketAddress(loopback: port), data: SocketAddress(loopback: port + 1), at: now)
    handleOutputs(at: now)
  }

  /// Does what is due.
  func advance(to now: Instant) {
    if feedbackDue <= now, let sequence = receiver.highestSequence, let master {
      feedbackDue = .distantFuture
      send(feedback: sequence, to: master)
    }
    endpoint.advance(to: now)
    handleOutputs(at: now)
  }

  /// Takes a datagram that came to one of its ports.
  func receive(
    _ room: borrowing DatagramRoom, on port: Port, at instant: Instant, into ticks: inout TickTable, as number: Int
  ) {
    let octets = room.datagram
    // Invariant: the room's octets stay as they are until this call has returned.
    let datagram = Span(_unsafeElements: octets)
    if ControlPacket.isControl(datagram) {
      guard isTutti || !octets.isProbe else { return }
      endpoint.receive(datagram, from: room.sender, port: port, at: instant)
      handleOutputs(at: instant)
    } else if hasJoined {
      read(datagram, at: instant, into: &ticks, as: number)
    }
  }

  private func read(_ datagram: Span<UInt8>, at instant: Instant, into ticks: inout TickTable, as number: Int) {
    do { try receiver.open(datagram, near: instant) } catch {
      heard.refused += 1
      return
    }
    if feedbackDue == .distantFuture {
      feedbackDue = instant + .seconds(1)
      if feedbackDue < due { due = feedbackDue }
    }
    while let event = receiver.next(in: datagram) {
      switch event {
      case .message(.clock, let time): count(isRunning ? ticks.arrived(time, at: instant, follower: number) : nil)
      case .recovered(.clock, _) where isRunning: countRecovered()
      case .recovered(.clock, _): heard.strays += 1
      case .message(let message, _), .recovered(let message, _): apply(message)
      case .systemExclusive: break
      }
    }
  }

  private func apply(_ message: Message) {
    switch message {
    case .start:
      heard.starts += 1
      isRunning = true
    case .continue:
      heard.continues += 1
      isRunning = true
    case .stop:
      heard.stops += 1
      isRunning = false
    default: break
    }
  }

  /// A tick of the table's row `row`, nil when of none.
  private func count(_ row: Int?) {
    guard let row else {
      heard.strays += 1
      return
    }
    heard.ticks += 1
    guard row >= expected else {
      heard.doubled += 1
      return
    }
    miss(upTo: row)
    expected = row + 1
  }

  /// A tick that was lost and came back by a journal, in the order of the others, but without its time.
  private func countRecovered() {
    heard.ticks += 1
    heard.recovered += 1
    restored += 1
  }

  /// What came neither by itself nor by a journal, from the expected row up to `row`, is missing.
  private func miss(upTo row: Int) {
    heard.missing += max(0, row - expected - restored)
    restored = 0
  }

  /// Ends the account: what of `count` ticks did not come at the end is missing.
  func settle(_ count: Int) {
    miss(upTo: count)
    heard.lost = receiver.statistics.lost
  }

  private func handleOutputs(at now: Instant) {
    for output in endpoint.drain() {
      switch output {
      case .send(let bytes, let address, let port):
        guard isTutti || !bytes.isProbe else { break }
        if !(port == .control ? control : data).send(bytes, to: address) { heard.unsent += 1 }
      case .probe(let session, let address):
        guard isTutti else { break }
        endpoint.sendProbe(on: session) { request in
          var request = request
          request.transmit = monotonicNow
          return send(ClockProbe.length, to: address) { request.append(to: &$0) } ? request.transmit : nil
        }
      case .clockPacket(let session, let address):
        guard let packet = endpoint.clockPacket(on: session, sentAt: monotonicNow) else { break }
        _ = send(ClockPacket.length, to: address) { packet.append(to: &$0) }
      case .established(_, let info):
        receiver = PacketReceiver(ssrc: info.ssrc, systemExclusiveCapacity: 256)
        master = info.control
        hasJoined = true
      case .closed, .lost, .refused, .unreachable: hasLeft = true
      default: break
      }
    }
    due = endpoint.nextDeadline ?? .distantFuture
    if feedbackDue < due { due = feedbackDue }
  }

  /// Sends from the data port what `encode` appends to an empty packet with room for `count` octets.
  private func send(_ count: Int, to address: SocketAddress, _ encode: (inout RigidArray<UInt8>) -> Bool) -> Bool {
    var packet = RigidArray<UInt8>(capacity: count)
    let isSent = encode(&packet) && data.send((0..<packet.count).map { packet[$0] }, to: address)
    if !isSent { heard.unsent += 1 }
    return isSent
  }

  private func send(feedback sequence: UInt16, to address: SocketAddress) {
    let (ssrc, high, low) = (endpoint.ssrc, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence))
    var packet: [UInt8] = [0xFF, 0xFF, 0x52, 0x53]
    packet += [UInt8(ssrc >> 24), UInt8(ssrc >> 16 & 255), UInt8(ssrc >> 8 & 255), UInt8(ssrc & 255), high, low, 0, 0]
    if !control.send(packet, to: address) { heard.unsent += 1 }
  }
}

extension Collection<UInt8> where Index == Int {
  /// Whether a control packet is a clock probe between Tutti peers.
  fileprivate var isProbe: Bool { count >= 4 && self[2] == UInt8(ascii: "T") && self[3] == UInt8(ascii: "U") }
}
