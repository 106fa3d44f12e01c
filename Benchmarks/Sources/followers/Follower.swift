import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// One simulated follower with its own pair of ports. An `Endpoint` manages the session, as in a peer. A separate `PacketReceiver`
/// decodes the MIDI commands, so that a tick allocates no memory.
final class Follower {
  let control: LoopbackSocket
  let data: LoopbackSocket
  /// Whether the follower is a Tutti peer, which sends and answers clock probes. A standard device ignores them.
  private let isTutti: Bool
  private let endpoint: Endpoint
  private var receiver = PacketReceiver(ssrc: 0, systemExclusiveCapacity: 256)
  /// The control port of the master; nil before the session is established.
  private var master: SocketAddress?
  /// When the next receiver feedback is sent: one second after the first packet that followed the last feedback.
  private var feedbackDue = Instant.distantFuture
  /// Whether the session was established.
  private(set) var hasJoined = false
  /// Whether the session has ended, or the invitation has failed.
  private(set) var hasLeft = false
  /// The next deadline.
  private(set) var due = Instant.distantFuture

  private(set) var counters = FollowerCounters()
  /// The row of the next expected tick in the ``TickTable``.
  private var expected = 0
  /// The SSRC of the follower in its session; 0 before the session.
  private var localSSRC: UInt32 = 0
  /// The number of ticks that a recovery journal has restored since the last tick in a command section.
  private var restored = 0
  /// Whether Start or Continue has arrived, and no Stop since.
  private var isRunning = false

  init(port: UInt16, isTutti: Bool) throws(FollowersError) {
    control = try LoopbackSocket(port: port)
    data = try LoopbackSocket(port: port + 1)
    self.isTutti = isTutti
    var random = SystemRandomNumberGenerator()
    let identity = random.next()
    endpoint =
      isTutti
      ? Endpoint(name: "follower \(port)", identity: identity, random: random)
      : Endpoint(name: "follower \(port)", random: random)
  }

  /// Invites the master whose control port is `port`.
  func connect(to port: UInt16, at now: Instant) {
    _ = try? endpoint.connect(to: SocketAddress(loopback: port), data: SocketAddress(loopback: port + 1), at: now)
    handleOutputs(at: now)
  }

  /// Handles expired deadlines.
  func advance(to now: Instant) {
    if feedbackDue <= now, let sequence = receiver.highestSequence, let master {
      feedbackDue = .distantFuture
      send(feedback: sequence, to: master)
    }
    endpoint.advance(to: now)
    handleOutputs(at: now)
  }

  /// Handles a datagram that arrived at `port`. Records its ticks in the table `ticks`.
  ///
  /// - Parameter number: the number of this follower in the table.
  func receive(
    _ buffer: borrowing DatagramBuffer, on port: Port, at instant: Instant, into ticks: inout TickTable, as number: Int
  ) {
    let octets = buffer.datagram
    // Invariant: the octets of the buffer do not change until this call has returned.
    let datagram = Span(_unsafeElements: octets)
    if ControlPacket.isControl(datagram) {
      guard isTutti || !octets.isProbe else { return }
      endpoint.receive(datagram, from: buffer.sender, port: port, at: instant)
      handleOutputs(at: instant)
    } else if hasJoined {
      read(datagram, at: instant, into: &ticks, as: number)
    }
  }

  /// Decodes an RTP packet. Counts the ticks in its command section, and the ticks that its journal restores.
  private func read(_ datagram: Span<UInt8>, at instant: Instant, into ticks: inout TickTable, as number: Int) {
    do { try receiver.open(datagram, near: instant) } catch {
      counters.rejected += 1
      return
    }
    if feedbackDue == .distantFuture {
      feedbackDue = instant + .seconds(1)
      if feedbackDue < due { due = feedbackDue }
    }
    while let event = receiver.next(in: datagram) {
      switch event {
      case .message(.clock, let time): count(isRunning ? ticks.record(time, at: instant, follower: number) : nil)
      case .recovered(.clock, _) where isRunning: countRecovered()
      case .recovered(.clock, _): counters.unexpected += 1
      case .message(let message, _), .recovered(let message, _): apply(message)
      case .systemExclusive: break
      }
    }
  }

  /// Counts a Start, Continue or Stop.
  private func apply(_ message: Message) {
    switch message {
    case .start:
      counters.starts += 1
      isRunning = true
    case .continue:
      counters.continues += 1
      isRunning = true
    case .stop:
      counters.stops += 1
      isRunning = false
    default: break
    }
  }

  /// Counts a tick.
  ///
  /// - Parameter row: the row of the tick in the table; nil if the tick has no open row, or arrives while the rhythm is stopped.
  private func count(_ row: Int?) {
    guard let row else {
      counters.unexpected += 1
      return
    }
    counters.ticks += 1
    guard row >= expected else {
      counters.duplicates += 1
      return
    }
    countMissing(upTo: row)
    expected = row + 1
  }

  /// Counts a lost tick that a journal has restored. The journal does not contain the time stamp of the tick, so its row is unknown.
  private func countRecovered() {
    counters.ticks += 1
    counters.recovered += 1
    restored += 1
  }

  /// Counts the ticks from the expected row up to `row` as missing if no journal has restored them.
  private func countMissing(upTo row: Int) {
    counters.missing += max(0, row - expected - restored)
    restored = 0
  }

  /// Completes the counters after a run of `count` ticks.
  func finish(_ count: Int) {
    countMissing(upTo: count)
    counters.lost = receiver.statistics.lost
  }

  /// Executes the outputs of the endpoint, and sets the next deadline.
  private func handleOutputs(at now: Instant) {
    for output in endpoint.drain() {
      switch output {
      case .send(let bytes, let address, _, let port):
        if !(port == .control ? control : data).send(bytes, to: address) { counters.unsent += 1 }
      case .extensionPacket(let session, let address, _):
        endpoint.sendProbe(on: session) { request, _ in
          var request = request
          request.transmit = monotonicNow
          return send(ClockProbe.length, to: address) { request.append(to: &$0) } ? request.transmit : nil
        }
      case .clockPacket(let session, let address, _):
        guard let packet = endpoint.clockPacket(on: session, sentAt: monotonicNow) else { break }
        _ = send(ClockPacket.length, to: address) { packet.append(to: &$0) }
      case .established(_, let info):
        receiver = PacketReceiver(ssrc: info.ssrc, systemExclusiveCapacity: 256)
        localSSRC = info.localSSRC
        master = info.control
        hasJoined = true
      case .closed, .lost, .refused, .unreachable: hasLeft = true
      default: break
      }
    }
    due = endpoint.nextDeadline ?? .distantFuture
    if feedbackDue < due { due = feedbackDue }
  }

  /// Sends the packet that `encode` writes from the data port. Returns whether the kernel has accepted it.
  ///
  /// - Parameter count: the maximum size of the packet in octets.
  private func send(_ count: Int, to address: SocketAddress, _ encode: (inout RigidArray<UInt8>) -> Bool) -> Bool {
    var packet = RigidArray<UInt8>(capacity: count)
    let isSent = encode(&packet) && data.send((0..<packet.count).map { packet[$0] }, to: address)
    if !isSent { counters.unsent += 1 }
    return isSent
  }

  /// Sends receiver feedback (AppleMIDI RS), which acknowledges packets: FF FF, "RS", the SSRC, the sequence number and two zero
  /// octets.
  private func send(feedback sequence: UInt16, to address: SocketAddress) {
    let (ssrc, high, low) = (localSSRC, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence))
    var packet: [UInt8] = [0xFF, 0xFF, 0x52, 0x53]
    packet += [UInt8(ssrc >> 24), UInt8(ssrc >> 16 & 255), UInt8(ssrc >> 8 & 255), UInt8(ssrc & 255), high, low, 0, 0]
    if !control.send(packet, to: address) { counters.unsent += 1 }
  }
}

extension Collection<UInt8> where Index == Int {
  /// Whether a control packet is a clock probe of a Tutti peer: its command is "TU".
  fileprivate var isProbe: Bool { count >= 4 && self[2] == UInt8(ascii: "T") && self[3] == UInt8(ascii: "U") }
}
