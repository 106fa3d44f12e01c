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

/// A Tutti master on its own thread, with a timeline of 120 BPM. It sends no ticks, only timeline messages and clock probes. Between
/// ``beginFault()`` and ``endFault()``, its packets have a fault.
final class FaultyMaster: @unchecked Sendable {
  /// The fault of the packets.
  enum Fault: String, CaseIterable {
    /// The master writes wrong time stamps of its clock into clock probes.
    case clockStandsStill, clockRunsBackwards, clockJumps, clockIsStepped
    /// The master sends each reply and each acknowledgement of a clock probe twice.
    case repliesTwice
    /// The timeline messages have an unknown version.
    case sendsUndecodableMessages
  }

  /// The control port.
  let port: UInt16
  private let fault: Fault
  private let ports: PortPair
  private let endpoint = Endpoint(name: "Eve", identity: 7, random: SplitMix(seed: 3))
  private let isFaulty = Atomic(false)
  private let isEnding = Atomic(false)
  private let done = DispatchSemaphore(value: 0)
  // Only the thread of the master uses the following variables.
  private var random = SplitMix(seed: 11)
  /// When the fault began, in local time; nil while there is no fault.
  private var faultBegin: Instant?

  init(_ fault: Fault) throws {
    let ports = try PortPair(port: 0)
    (self.ports, self.fault, self.port) = (ports, fault, ports.control.port)
    Thread { [self] in
      play()
      done.signal()
    }.start()
  }

  func beginFault() { isFaulty.store(true, ordering: .releasing) }
  func endFault() { isFaulty.store(false, ordering: .releasing) }

  func leave() {
    isEnding.store(true, ordering: .releasing)
    done.wait()
  }

  /// Handles datagrams and sends timeline messages, until ``leave()``.
  private func play() {
    var sender = PacketSender(ssrc: 0, sequence: 100)
    var follower: SocketAddress?
    var timelineMessage: TimelineMessage?
    var nextMessage = Instant(nanoseconds: 0)
    while !isEnding.load(ordering: .acquiring) {
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
      if let answered = executeOutputs(&sender) { follower = answered }
      faultBegin = isFaulty.load(ordering: .acquiring) ? faultBegin ?? MonotonicClock.now : nil
      guard let follower, MonotonicClock.now >= nextMessage else { continue }
      nextMessage = MonotonicClock.now + .milliseconds(200)
      // Every message announces the same timeline, which begins 600 ms after the first message.
      let message =
        timelineMessage
        ?? TimelineMessage(
          claim: Claim(term: 1, identity: Identity(7)), revision: 1, start: Tick(0), end: Tick(.max),
          tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: MonotonicClock.now + .milliseconds(600))))
      timelineMessage = message
      var octets = message.systemExclusive
      // Octet 2 is the version.
      if faultBegin != nil, fault == .sendsUndecodableMessages { octets[2] = 9 }
      var data = RigidArray<UInt8>(capacity: octets.count)
      for octet in octets { data.append(octet) }
      var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
      _ = sender.encode(systemExclusive: data, at: MonotonicClock.now, into: &packet)
      _ = ports.data.send((0..<packet.count).map { packet[$0] }, to: follower)
    }
    ports.close()
  }

  /// Executes the outputs of the endpoint. In a new session, the stream starts with the SSRC of the session.
  ///
  /// - Returns: the address of a peer to which the endpoint has answered a clock probe; nil if there is none. Only Tutti peers send clock
  ///   probes.
  private func executeOutputs(_ sender: inout PacketSender) -> SocketAddress? {
    var answered: SocketAddress?
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, let address, _, let port):
        // FF FF "TU" begins a clock probe. This one is a reply or an acknowledgement, because requests are sent in `extensionPacket`.
        guard octets.starts(with: [0xFF, 0xFF, 0x54, 0x55]) else {
          _ = (port == .control ? ports.control : ports.data).send(octets, to: address)
          continue
        }
        _ = ports.data.send(withFault(octets), to: address)
        if faultBegin != nil, fault == .repliesTwice { _ = ports.data.send(octets, to: address) }
        answered = address
      case .established(_, let info): sender.restart(ssrc: info.localSSRC, sequence: 100)
      case .extensionPacket(let session, let address, _):
        // The endpoint asks for a clock probe request. The closure sends it, and returns the correct transmit time stamp; nil if the
        // request was not sent.
        endpoint.sendProbe(on: session) { request, _ in
          var request = request
          var packet = RigidArray<UInt8>(capacity: ClockProbe.length)
          request.transmit = MonotonicClock.now
          _ = request.append(to: &packet)
          return ports.data.send(withFault((0..<packet.count).map { packet[$0] }), to: address)
            ? request.transmit : nil
        }
      default: break
      }
    }
    return answered
  }

  /// Replaces the receive and the transmit time stamp of a clock probe by the wrong time stamps of this fault.
  private func withFault(_ octets: [UInt8]) -> [UInt8] {
    guard let faultBegin else { return octets }
    var probe = octets
    // The offsets of the receive and of the transmit time stamp in a probe, in octets.
    for offset in [28, 36] {
      let correct = octets[offset..<offset + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      // The receive time stamp of a request can be 0, which means that it is not set.
      guard correct != 0 else { continue }
      let elapsed = correct - faultBegin.nanoseconds
      let stamp =
        switch fault {
        case .clockStandsStill: faultBegin.nanoseconds
        case .clockRunsBackwards: faultBegin.nanoseconds - elapsed
        case .clockJumps: correct + random.integer(in: -5_000_000_000...5_000_000_000)
        case .clockIsStepped: correct + 2_000_000_000
        case .repliesTwice, .sendsUndecodableMessages: correct
        }
      for n in 0..<8 { probe[offset + n] = UInt8(truncatingIfNeeded: stamp >> Int64(56 - 8 * n)) }
    }
    return probe
  }
}
