import BasicContainers
import Foundation
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Synchronization
import Transports
import _TestSupport

@testable import Engine

/// A standard RTP-MIDI device on its own thread that sends MIDI clock at 97.3 BPM.
///
/// The device accepts invitations and answers CK. It answers no clock probes, so peers treat it as a standard device. Each tick has
/// the time stamp of its due time and is sent up to 3 ms late.
final class DrumMachine: @unchecked Sendable {
  static let bpm = 97.3

  /// The control port.
  let port: UInt16
  /// In each group of this number of ticks, one tick is lost: its packet is encoded but not sent. 0 for no losses.
  private let lossInterval: Int64
  private let ports: PortPair
  private let isEnding = Atomic(false)
  private let sendsStop = Atomic(true)
  private let done = DispatchSemaphore(value: 0)
  /// The due time of tick 0 in nanoseconds; 0 before it is known.
  private let originStorage = Atomic<Int64>(0)

  /// - Parameters:
  ///   - lossInterval: the number of ticks in a group of which one is lost; 0 for no losses.
  ///   - port: the control port; 0 for any free port.
  ///   - origin: the due time of tick 0 of an earlier drum machine, whose rhythm this drum machine continues; nil for a new rhythm,
  ///     which begins with Start.
  init(losingOneTickIn lossInterval: Int64 = 0, port: UInt16 = 0, continuingFrom origin: Instant? = nil) throws {
    let ports = try PortPair(port: port)
    (self.ports, self.lossInterval, self.port) = (ports, lossInterval, ports.control.port)
    if let origin { originStorage.store(origin.nanoseconds, ordering: .releasing) }
    let thread = Thread { [self] in
      play()
      done.signal()
    }
    thread.start()
  }

  /// The due time of tick 0; 0 before it is known.
  var origin: Instant { Instant(nanoseconds: originStorage.load(ordering: .acquiring)) }

  /// The due time of `tick`.
  static func dueTime(of tick: Int64, since origin: Instant) -> Instant {
    origin + Nanoseconds(Int64(Double(tick) * 60e9 / bpm / 24))
  }

  /// Ends all sessions with BY.
  ///
  /// - Parameter sendingStop: whether the device sends Stop before BY.
  func leave(sendingStop: Bool = true) {
    sendsStop.store(sendingStop, ordering: .releasing)
    isEnding.store(true, ordering: .releasing)
    done.wait()
  }

  /// Handles datagrams and sends the ticks to the peer of the newest session, until ``leave(sendingStop:)``.
  private func play() {
    let endpoint = Endpoint(name: "Drums", random: SplitMix(seed: 3))
    var sender = PacketSender(ssrc: 0, sequence: 65500)
    var random = SplitMix(seed: 11)
    var receiver: SocketAddress?
    var (tick, knownOrigin) = (Int64(0), Instant?.none)
    let continues = self.origin.nanoseconds != 0
    var lateness = Nanoseconds.zero
    while !isEnding.load(ordering: .acquiring) {
      serve(endpoint, &sender, &receiver)
      guard let receiver else { continue }
      let origin = knownOrigin ?? (continues ? self.origin : MonotonicClock.now + .milliseconds(500))
      // A rhythm that continues begins with the first tick that is not yet due.
      if knownOrigin == nil, continues {
        while Self.dueTime(of: tick, since: origin) < MonotonicClock.now { tick += 1 }
      }
      knownOrigin = origin
      originStorage.store(origin.nanoseconds, ordering: .releasing)
      let due = Self.dueTime(of: tick, since: origin)
      guard MonotonicClock.now >= due + lateness else { continue }
      if tick == 0 { send(.start, at: due, &sender, to: receiver) }
      // After tick 24, each tick whose remainder modulo the loss interval is 7 is lost.
      send(.clock, at: due, &sender, to: receiver, isLost: lossInterval > 0 && tick > 24 && tick % lossInterval == 7)
      tick += 1
      lateness = Nanoseconds(random.integer(in: 0...3_000_000))
    }
    if let receiver, sendsStop.load(ordering: .acquiring) {
      send(.stop, at: MonotonicClock.now, &sender, to: receiver)
    }
    endpoint.closeAll(at: MonotonicClock.now)
    executeOutputs(of: endpoint)
    ports.close()
  }

  /// Encodes a message and sends its packet, unless `isLost` is true.
  private func send(
    _ message: Message, at instant: Instant, _ sender: inout PacketSender, to address: SocketAddress,
    isLost: Bool = false
  ) {
    var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
    guard sender.encode(message, at: instant, into: &packet), !isLost else { return }
    _ = ports.data.send((0..<packet.count).map { packet[$0] }, to: address)
  }

  /// Waits up to one millisecond for datagrams, handles them, and sends the replies. When a session is established, sets
  /// `receiver` to the address of the peer's data port, and restarts the stream with the SSRC of the session.
  private func serve(_ endpoint: Endpoint, _ sender: inout PacketSender, _ receiver: inout SocketAddress?) {
    _ = ports.wait(milliseconds: 1)
    for port in [Datagram.Port.control, .data] {
      var datagram = Datagram()
      while ports.receive(on: port, into: &datagram) {
        let octets = (0..<datagram.count).map { datagram.octets[$0] }
        // A standard device does not know clock probes.
        if octets.starts(with: Self.probeSignature) { continue }
        endpoint.receive(
          octets, from: datagram.from, port: port == .control ? .control : .data, at: datagram.at)
      }
    }
    endpoint.advance(to: MonotonicClock.now)
    if let established = executeOutputs(of: endpoint) {
      receiver = established.data
      sender.restart(ssrc: established.localSSRC, sequence: 65500)
    }
  }

  /// Sends the datagrams of `endpoint`. Returns the peer of a session that was established; nil if there is none.
  @discardableResult
  private func executeOutputs(of endpoint: Endpoint) -> SessionInfo? {
    var established: SessionInfo?
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, let address, _, let port):
        if octets.starts(with: Self.probeSignature) { continue }
        _ = (port == .control ? ports.control : ports.data).send(octets, to: address)
      case .established(_, let info): established = info
      default: break
      }
    }
    return established
  }

  /// The first octets of a clock probe.
  private static let probeSignature: [UInt8] = [0xFF, 0xFF, 0x54, 0x55]
}
