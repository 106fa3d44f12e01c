import BasicContainers
import Measurement
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Transports

/// Sends requests for the clock of a peer and collects the answers.
///
/// The first second decides which protocol is used. In this second, a peer that has announced itself as a Tutti peer gets four clock probes.
/// If the peer answers one of them, it is measured with probes. All other peers are measured with CK packets of AppleMIDI.
final class NetworkTask: InvitedSession.Task {
  /// The exchanges with the peer.
  private(set) var measurement = NetworkMeasurement(.clockPackets)
  /// The name of the peer, with its address. Only the address, until the session is established or if the peer has no name.
  private(set) var peer: String
  private let ports: PortPair
  private let interval: Nanoseconds?
  private let onProgress: (NetworkTask, Instant) -> Void
  private let identity = UInt64.random(in: 1...UInt64.max)
  private var info: SessionInfo?
  /// The next instant at which a request is due, and the end of the first second, in which probes find out whether the peer is a Tutti
  /// peer.
  private var (next, searchEnds) = (Instant.distantFuture, Instant.distantFuture)
  /// The send instants of the requests without an answer. The key is the stamp in the request, which the answer repeats.
  private var pending: [UInt64: Instant] = [:]
  /// The shortest interval between probes that the peer accepts, by its probe rate limit.
  private var permitted = Nanoseconds.zero

  /// The default interval between requests, for Tutti peers and for other devices.
  private static let (probeInterval, clockInterval) = (Nanoseconds.milliseconds(20), Nanoseconds.milliseconds(100))

  /// - Parameters:
  ///   - address: the address of the peer. It is also shown as the name of the peer until the session is established.
  ///   - ports: the local ports of the session.
  ///   - interval: the interval between requests; nil for the default.
  ///   - onProgress: called after each request.
  init(
    _ address: String, ports: PortPair, interval: Nanoseconds?, onProgress: @escaping (NetworkTask, Instant) -> Void
  ) {
    (peer, self.ports, self.interval, self.onProgress) = (address, ports, interval, onProgress)
  }

  /// The number of requests without an answer that are less than a second old.
  func pendingCount(at now: Instant) -> Int { pending.values.count { now - $0 < .seconds(1) } }

  func established(_ info: SessionInfo, at now: Instant) {
    self.info = info
    if let name = info.name, !name.isEmpty { peer = "\(name) (\(peer))" }
    let isTuttiPeer = info.mark.map { PeerExtension(identity: identity).isAnnouncement($0) } ?? false
    (next, searchEnds) = (now, isTuttiPeer ? now + .seconds(1) : now)
  }

  func advance(to now: Instant) -> Instant {
    guard let info, now >= next else { return next }
    if now < searchEnds {
      sendProbe(to: info)
      next = now + .milliseconds(300)
    } else if measurement.protocol == .probes {
      sendProbe(to: info)
      measurement.requestSent()
      next = now + max(interval ?? Self.probeInterval, permitted)
    } else {
      sendClock(to: info)
      measurement.requestSent()
      next = now + (interval ?? Self.clockInterval)
    }
    // An answer after ten seconds would be implausible, so older requests are removed.
    if pending.count > 1_000 { pending = pending.filter { now - $0.value < .seconds(10) } }
    onProgress(self, now)
    return next
  }

  private func sendProbe(to info: SessionInfo) {
    var packet = RigidArray<UInt8>(capacity: ClockProbe.length)
    let probe = ClockProbe(ssrc: info.localSSRC, identity: identity, sentAt: MonotonicClock.now)
    guard probe.append(to: &packet),
      let sent = ports.data.send(packet, stampedAt: ClockProbe.transmitOffset, to: info.data, from: info.local)
    else { return }
    pending[UInt64(bitPattern: sent.nanoseconds)] = sent
  }

  private func sendClock(to info: SessionInfo) {
    var packet = RigidArray<UInt8>(capacity: ClockPacket.length)
    let sent = MonotonicClock.now
    let request = ClockPacket(ssrc: info.localSSRC, sentAt: sent)
    guard request.append(to: &packet), ports.data.send(packet, to: info.data, from: info.local) else { return }
    pending[request.stamp1] = sent
  }

  func receive(_ datagram: Span<UInt8>, from address: SocketAddress, at arrival: Instant) -> Bool {
    if let probe = ClockProbe(datagram) {
      receive(probe, at: arrival)
      return true
    }
    // A CK1 that answers no request of this task answers a CK0 of the session, so the session handles it.
    guard let packet = ClockPacket(datagram), packet.count == 1, packet.ssrc == info?.ssrc,
      let sent = pending.removeValue(forKey: packet.stamp1)
    else { return false }
    // A CK1 has only one stamp of the peer. It stands for both remote instants.
    measurement.add(
      NetworkExchange(sent: sent, remoteReceived: packet.sent, remoteSent: packet.sent, received: arrival))
    if let info, let reply = packet.reply(from: info.localSSRC, sentAt: MonotonicClock.now) {
      var octets = RigidArray<UInt8>(capacity: ClockPacket.length)
      if reply.append(to: &octets) { _ = ports.data.send(octets, to: info.data, from: info.local) }
    }
    return true
  }

  /// Receives a probe of the peer. Probe requests are not answered, because the peer would then consider this program a Tutti peer.
  private func receive(_ probe: ClockProbe, at arrival: Instant) {
    guard case .reply = probe.kind, probe.ssrc == info?.ssrc else { return }
    guard let sent = pending.removeValue(forKey: UInt64(bitPattern: probe.origin.nanoseconds)) else {
      measurement.answerIgnored()
      return
    }
    if probe.rateLimit > 0 { permitted = Nanoseconds(1_000_000_000 / Int64(probe.rateLimit)) }
    guard measurement.protocol == .probes else {
      // The first reply shows that the peer is a Tutti peer. Here, the measurement with probes begins. The exchange of this first
      // reply is not part of the measurement.
      measurement = NetworkMeasurement(.probes)
      pending = [:]
      (searchEnds, next) = (arrival, arrival)
      return
    }
    measurement.add(
      NetworkExchange(sent: sent, remoteReceived: probe.receive, remoteSent: probe.transmit, received: arrival))
  }

  // MIDI messages of the peer do not matter for this measurement.
  func receive(_ message: Endpoint.Output) {}
}
