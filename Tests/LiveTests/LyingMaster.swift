import BasicContainers
import Ensemble
import Foundation
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Synchronization
import Transports
import _TestSupport

@testable import Engine

/// A Tutti master on a thread of its own whose word is not to be trusted: it states a rhythm at 120 BPM, and once told
/// to lie, what its probes say of its clock is changed on the way out.
final class LyingMaster: @unchecked Sendable {
  enum Lie: String, CaseIterable {
    case standsStill, runsBackwards, jumpsAbout, isSet
    case repliesTwice, statesNonsense
  }

  let port: UInt16
  private let lie: Lie
  private let ports: PortPair
  private let endpoint = Endpoint(name: "Eve", identity: 7, random: SplitMix(seed: 3))
  private let lies = Atomic(false)
  private let ends = Atomic(false)
  private let done = DispatchSemaphore(value: 0)
  // The thread's own.
  private var random = SplitMix(seed: 11)
  private var since: Instant?

  init(_ lie: Lie) throws {
    let ports = try PortPair(port: 0)
    (self.ports, self.lie, self.port) = (ports, lie, ports.control.port)
    Thread { [self] in
      play()
      done.signal()
    }.start()
  }

  func beginLying() { lies.store(true, ordering: .releasing) }
  func endLying() { lies.store(false, ordering: .releasing) }

  func leave() {
    ends.store(true, ordering: .releasing)
    done.wait()
  }

  private func play() {
    var sender = PacketSender(ssrc: endpoint.ssrc, sequence: 100)
    var follower: SocketAddress?
    var timelineMessage: TimelineMessage?
    var nextTelling = Instant(nanoseconds: 0)
    while !ends.load(ordering: .acquiring) {
      _ = ports.wait(milliseconds: 1)
      for port in [Datagram.Port.control, .data] {
        var datagram = Datagram()
        while ports.receive(on: port, into: &datagram) {
          endpoint.receive(
            (0..<datagram.count).map { datagram.octets[$0] }, from: datagram.from,
            port: port == .control ? .control : .data, at: datagram.at)
        }
      }
      endpoint.advance(to: MonotonicClock.now)
      if let recognised = serve() { follower = recognised }
      since = lies.load(ordering: .acquiring) ? since ?? MonotonicClock.now : nil
      guard let follower, MonotonicClock.now >= nextTelling else { continue }
      nextTelling = MonotonicClock.now + .milliseconds(200)
      let rhythm =
        timelineMessage
        ?? TimelineMessage(
          claim: Claim(term: 1, identity: Identity(7)), revision: 1, start: Tick(0), end: Tick(.max),
          timeline: Timeline(tempo: .standard, tick: Tick(0), at: MonotonicClock.now + .milliseconds(600)))
      timelineMessage = rhythm
      var octets = rhythm.systemExclusive
      if since != nil, lie == .statesNonsense { octets[2] = 9 }
      var data = RigidArray<UInt8>(capacity: octets.count)
      for octet in octets { data.append(octet) }
      var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
      _ = sender.encode(systemExclusive: data, at: MonotonicClock.now, into: &packet)
      _ = ports.data.send((0..<packet.count).map { packet[$0] }, to: follower)
    }
    ports.close()
  }

  /// Does what the endpoint wants done; gives who has been recognised as a Tutti peer.
  private func serve() -> SocketAddress? {
    var recognised: SocketAddress?
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, let address, let port):
        guard octets.starts(with: [0xFF, 0xFF, 0x54, 0x55]) else {
          _ = (port == .control ? ports.control : ports.data).send(octets, to: address)
          continue
        }
        _ = ports.data.send(changed(octets), to: address)
        if since != nil, lie == .repliesTwice { _ = ports.data.send(octets, to: address) }
        recognised = address
      case .extensionPacket(let session, let address):
        endpoint.sendProbe(on: session) { request in
          var request = request
          var packet = RigidArray<UInt8>(capacity: ClockProbe.length)
          request.transmit = MonotonicClock.now
          _ = request.append(to: &packet)
          return ports.data.send(changed((0..<packet.count).map { packet[$0] }), to: address) ? request.transmit : nil
        }
      default: break
      }
    }
    return recognised
  }

  /// The probe with its sender's stamps, receive and transmit, as the lie has them.
  private func changed(_ octets: [UInt8]) -> [UInt8] {
    guard let since else { return octets }
    var probe = octets
    for place in [28, 36] {
      let honest = octets[place..<place + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      guard honest != 0 else { continue }
      let passed = honest - since.nanoseconds
      let stamp =
        switch lie {
        case .standsStill: since.nanoseconds
        case .runsBackwards: since.nanoseconds - passed
        case .jumpsAbout: honest + random.integer(in: -5_000_000_000...5_000_000_000)
        case .isSet: honest + 2_000_000_000
        case .repliesTwice, .statesNonsense: honest
        }
      for n in 0..<8 { probe[place + n] = UInt8(truncatingIfNeeded: stamp >> Int64(56 - 8 * n)) }
    }
    return probe
  }
}
