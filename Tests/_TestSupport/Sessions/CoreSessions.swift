package import Ensemble
package import MusicalTime
import PeerProtocol
package import RTPMIDI

/// A ``PeerCore`` and remote peers on other hosts. They exchange the datagrams of their sessions and the clock probes without
/// delay. No peer sends RTP packets.
package struct CoreSessions {
  /// A remote peer.
  package struct Remote {
    package let endpoint: Endpoint
    /// The clock of the remote peer minus the clock of the core.
    package let ahead: Nanoseconds
    package let control: SocketAddress
    /// Whether the remote peer receives nothing, although it sends.
    package var isDeaf = false
    /// Whether the program of the remote peer is stopped, as by SIGSTOP: it receives nothing and sends nothing.
    package var isStopped = false
    var data: SocketAddress { control.dataPort }

    /// - Parameter key: the key of the group; nil without a passkey.
    package init(host: UInt32, identity: UInt64, ahead: Nanoseconds, key: GroupKey? = nil) {
      endpoint = Endpoint(name: "host \(host)", identity: identity, key: key, random: SplitMix(seed: UInt64(host)))
      (control, self.ahead) = (SocketAddress(host: host, port: 5004), ahead)
    }

    /// A standard device.
    package init(deviceOnHost host: UInt32) {
      endpoint = Endpoint(name: "device \(host)", random: SplitMix(seed: UInt64(host)))
      (control, ahead) = (SocketAddress(host: host, port: 5004), .zero)
    }
  }

  package let core: PeerCore
  package var remotes: [Remote] = []
  private let local = SocketAddress(host: 1, port: 5004)

  /// Creates a core with this identity and no remote peers.
  ///
  /// - Parameter key: the key of the group; nil without a passkey.
  package init(identity: UInt64, key: GroupKey? = nil) {
    let identity = Identity(identity)
    core = PeerCore(
      name: "a", key: key, ensemble: EnsembleState(identity: identity),
      invitations: InvitationList(to: [], local: identity, at: Instant(nanoseconds: 0)), random: SplitMix(seed: 1))
  }

  /// A remote peer invites the core. ``exchange(at:)`` completes the session.
  package func invite(_ remote: Remote, at now: Instant) throws(TooManySessions) {
    _ = try remote.endpoint.connect(to: local, data: local.dataPort, at: now + remote.ahead)
  }

  /// Lets the peers do the work that is due at `now`, and exchange datagrams until none is in transit.
  ///
  /// - Returns: the outputs of the core, without the datagrams and clock probes.
  package func exchange(at now: Instant) -> [PeerCore.Output] {
    var others: [PeerCore.Output] = []
    core.advance(to: now)
    for remote in remotes where !remote.isStopped { remote.endpoint.advance(to: now + remote.ahead) }
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for output in core.takeOutputs(at: now) {
        isQuiet = false
        switch output {
        case .send(let datagram, let address, _, _): deliver(datagram, to: address, at: now)
        case .probe(let session, let address, _):
          core.endpoint.sendProbe(on: session) { probe, _ in
            send(probe, at: now) { deliver($0, to: address, at: now) }
          }
        case .clockPacket(let session, let address, _):
          if let packet = core.endpoint.clockPacket(on: session, sentAt: now) {
            deliver(octets { _ = packet.append(to: &$0) }, to: address, at: now)
          }
        default: others.append(output)
        }
      }
      for remote in remotes {
        for output in remote.endpoint.drain() {
          isQuiet = false
          switch output {
          case .send(let datagram, _, _, let port): receive(datagram, of: remote, port, at: now)
          case .extensionPacket(let session, _, _):
            remote.endpoint.sendProbe(on: session) { probe, _ in
              send(probe, at: now + remote.ahead) { receive($0, of: remote, .data, at: now) }
            }
          case .clockPacket(let session, _, _):
            if let packet = remote.endpoint.clockPacket(on: session, sentAt: now + remote.ahead) {
              receive(octets { _ = packet.append(to: &$0) }, of: remote, .data, at: now)
            }
          default: break
          }
        }
      }
    }
    return others
  }

  /// Sends a probe: writes its send instant, and passes its octets to `deliver`.
  ///
  /// - Parameter instant: the send instant, by the clock of the sender.
  /// - Returns: the send instant.
  private func send(_ probe: ClockProbe, at instant: Instant, _ deliver: ([UInt8]) -> Void) -> Instant {
    var probe = probe
    probe.transmit = instant
    deliver(octets { _ = probe.append(to: &$0) })
    return instant
  }

  /// Delivers a datagram of the core to the remote peer at `address`, if there is one.
  private func deliver(_ datagram: [UInt8], to address: SocketAddress, at now: Instant) {
    guard let remote = remotes.first(where: { $0.control == address || $0.data == address }), !remote.isDeaf,
      !remote.isStopped
    else { return }
    let port: Port = address == remote.control ? .control : .data
    remote.endpoint.receive(
      datagram, from: port == .control ? local : local.dataPort, port: port, at: now + remote.ahead)
  }

  /// Delivers a datagram of a remote peer to the core.
  private func receive(_ datagram: [UInt8], of remote: Remote, _ port: Port, at now: Instant) {
    core.receive(
      datagram.span, from: port == .control ? remote.control : remote.data, port: port, at: now, now: now)
  }
}
