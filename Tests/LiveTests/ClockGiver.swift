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

/// A drum machine on the network by other hands, on a thread of its own: it lets itself be invited, answers CK and no
/// probe, so that it is no Tutti peer, and gives the clock at 97.3 BPM, stamped, each tick up to some milliseconds
/// late.
final class ClockGiver: @unchecked Sendable {
  static let bpm = 97.3

  let port: UInt16
  /// Of so many ticks one is not sent, as if lost.
  private let losses: Int64
  private let ports: PortPair
  private let ends = Atomic(false)
  private let stops = Atomic(true)
  private let done = DispatchSemaphore(value: 0)
  /// Tick 0's moment, nanoseconds; 0 before Start.
  private let begun = Atomic<Int64>(0)

  /// - Parameters:
  ///   - losses: of so many ticks one is lost; 0 for none.
  ///   - port: the control port, 0 for any.
  ///   - origin: tick 0's moment, if it goes on where another giver has been; nil: it says Start.
  init(losing losses: Int64 = 0, port: UInt16 = 0, goingOnSince origin: Instant? = nil) throws {
    let ports = try PortPair(port: port)
    (self.ports, self.losses, self.port) = (ports, losses, ports.control.port)
    if let origin { begun.store(origin.nanoseconds, ordering: .releasing) }
    let thread = Thread { [self] in
      play()
      done.signal()
    }
    thread.start()
  }

  var origin: Instant { Instant(nanoseconds: begun.load(ordering: .acquiring)) }

  static func moment(of tick: Int64, since origin: Instant) -> Instant {
    origin + Nanoseconds(Int64(Double(tick) * 60e9 / bpm / 24))
  }

  /// Says Stop, if it is to, and good-bye.
  func leave(stopping: Bool = true) {
    stops.store(stopping, ordering: .releasing)
    ends.store(true, ordering: .releasing)
    done.wait()
  }

  private func play() {
    let endpoint = Endpoint(name: "Drums", random: SplitMix(seed: 3))
    var sender = PacketSender(ssrc: endpoint.ssrc, sequence: 65500)
    var random = SplitMix(seed: 11)
    var address: SocketAddress?
    var (tick, start) = (Int64(0), Instant?.none)
    let isGoingOn = origin.nanoseconds != 0
    var late = Nanoseconds.zero
    while !ends.load(ordering: .acquiring) {
      serve(endpoint, &address)
      guard let address else { continue }
      let begin = start ?? (isGoingOn ? origin : MonotonicClock.now + .milliseconds(500))
      if start == nil, isGoingOn {
        while Self.moment(of: tick, since: begin) < MonotonicClock.now { tick += 1 }
      }
      start = begin
      begun.store(begin.nanoseconds, ordering: .releasing)
      let due = Self.moment(of: tick, since: begin)
      guard MonotonicClock.now >= due + late else { continue }
      if tick == 0 { send(.start, at: due, &sender, to: address) }
      send(.clock, at: due, &sender, to: address, isLost: losses > 0 && tick > 24 && tick % losses == 7)
      tick += 1
      late = Nanoseconds(random.integer(in: 0...3_000_000))
    }
    if let address, stops.load(ordering: .acquiring) { send(.stop, at: MonotonicClock.now, &sender, to: address) }
    endpoint.closeAll(at: MonotonicClock.now)
    flush(endpoint, nil)
    ports.close()
  }

  private func send(
    _ message: Message, at instant: Instant, _ sender: inout PacketSender, to address: SocketAddress,
    isLost: Bool = false
  ) {
    var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
    guard sender.encode(message, at: instant, into: &packet), !isLost else { return }
    _ = ports.data.send((0..<packet.count).map { packet[$0] }, to: address)
  }

  /// Takes what has come, for a millisecond at most.
  private func serve(_ endpoint: Endpoint, _ address: inout SocketAddress?) {
    _ = ports.wait(milliseconds: 1)
    for port in [Datagram.Port.control, .data] {
      var datagram = Datagram()
      while ports.receive(on: port, into: &datagram) {
        let octets = (0..<datagram.count).map { datagram.octets[$0] }
        // Of probes it knows nothing.
        if octets.starts(with: [0xFF, 0xFF, 0x54, 0x55]) { continue }
        endpoint.receive(
          octets, from: datagram.from, port: port == .control ? .control : .data, at: datagram.at)
      }
    }
    endpoint.advance(to: MonotonicClock.now)
    if let met = flush(endpoint, address) { address = met }
  }

  @discardableResult
  private func flush(_ endpoint: Endpoint, _ known: SocketAddress?) -> SocketAddress? {
    var met = known
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, let address, let port):
        if octets.starts(with: [0xFF, 0xFF, 0x54, 0x55]) { continue }
        _ = (port == .control ? ports.control : ports.data).send(octets, to: address)
      case .established(_, let info): met = info.data
      default: break
      }
    }
    return met
  }
}
