import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI

/// A hostile device on the network of a random scenario.
///
/// It knows the addresses, names and identities of all peers, because they are announced on the network. It can send any datagram
/// with the address of any peer as its source. If the peers have no passkey, it does not receive the packets of other hosts, so it
/// knows neither the SSRCs nor the tokens nor the clocks of their sessions. It sends
///
/// - invitations on both ports, answers to invitations, and ends of sessions,
/// - clock packets and clock probes with the identities of the peers,
/// - RTP packets with random content,
/// - random octets.
///
/// It answers no packets, so it never gets a session. With a session, it could violate the invariants although the peers are
/// correct: without a passkey, any device in session may start rhythms and play notes.
///
/// If the peers have a passkey, the hostile device also receives all packets of the network. It sends recorded packets again:
/// unchanged, to their sender, to another peer or port, as if from another peer, without their tag, or with a changed octet.
struct HostileDevice {
  private var random: SplitMix
  /// The number of datagrams sent.
  private(set) var sent: Int64 = 0

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Sends up to twenty forged or recorded packets, each to a random peer. An invitation is two datagrams; any other packet is one
  /// datagram. Returns the time until the next attack.
  mutating func attack(_ world: VirtualWorld) -> Nanoseconds {
    world.wire.records = world.settings.hasPasskey
    for _ in 0..<random.integer(in: 1...20) {
      if world.settings.hasPasskey, random.integer(in: 0...1) == 0 {
        replay(world)
        continue
      }
      guard let target = host(of: world), let forged = host(of: world) else { break }
      let port: Port = random.integer(in: 0...3) == 0 ? .control : .data
      switch random.integer(in: 0...9) {
      case 0...2: invite(target, as: forged, world)
      case 3: send(command(), to: target, port, as: forged, world)
      case 4: send(clockPacket(), to: target, port, as: forged, world)
      case 5...6: send(probe(of: world.hosts[forged].identity), to: target, port, as: forged, world)
      case 7...8: send(stream(), to: target, port, as: forged, world)
      default: send(octets(upTo: 100), to: target, port, as: forged, world)
      }
    }
    return .milliseconds(random.integer(in: 5...300))
  }

  /// Sends a recorded packet again.
  private mutating func replay(_ world: VirtualWorld) {
    guard var packet = world.wire.recorded.randomElement(using: &random), let other = host(of: world) else { return }
    var (source, target) = (packet.source, packet.target)
    switch random.integer(in: 0...6) {
    case 0...1: break
    case 2: (source, target) = (target, source)
    case 3: target = SocketAddress(host: other, target.sessionPort)
    case 4: source = SocketAddress(host: other, source.sessionPort)
    case 5:
      let port: Port = target.sessionPort == .data ? .control : .data
      (source, target) = (SocketAddress(host: source.host, port), SocketAddress(host: target.host, port))
    default:
      guard !packet.octets.isEmpty else { return }
      if random.integer(in: 0...1) == 0 {
        // The counter and the tag have 16 octets.
        packet.octets.removeLast(min(16, packet.octets.count))
      } else {
        packet.octets[Int(random.integer(in: 0...Int64(packet.octets.count - 1)))] ^= 1
      }
    }
    var octets = RigidArray<UInt8>(capacity: max(1, packet.octets.count))
    octets.append(copying: packet.octets)
    sent += 1
    world.wire.send(octets, from: source, to: target)
  }

  /// The number of a random host.
  private mutating func host(of world: VirtualWorld) -> Int? { world.hosts.indices.randomElement(using: &random) }

  /// Sends an invitation to both ports of a peer, with the address of another peer as the source.
  private mutating func invite(_ target: Int, as forged: Int, _ world: VirtualWorld) {
    let invitation = SessionCommand(
      .invitation, token: random.number(), ssrc: random.number(), name: world.hosts[forged].name)
    var octets = RigidArray<UInt8>(capacity: 80)
    _ = invitation.append(to: &octets)
    for port in [Port.control, .data] { send(octets, to: target, port, as: forged, world) }
  }

  /// An answer to an invitation, or the end of a session.
  private mutating func command() -> RigidArray<UInt8> {
    let kind = [SessionCommand.Kind.accepted, .rejected, .bye].randomElement(using: &random)!
    var octets = RigidArray<UInt8>(capacity: 80)
    _ = SessionCommand(kind, token: random.number(), ssrc: random.number()).append(to: &octets)
    return octets
  }

  /// CK0, CK1 or CK2 with random stamps.
  private mutating func clockPacket() -> RigidArray<UInt8> {
    var packet = ClockPacket(ssrc: random.number(), sentAt: instant())
    for _ in 0..<random.integer(in: 0...2) { packet = packet.reply(from: packet.ssrc, sentAt: instant()) ?? packet }
    var octets = RigidArray<UInt8>(capacity: ClockPacket.length)
    _ = packet.append(to: &octets)
    return octets
  }

  /// A request, a reply or an acknowledgement with random stamps.
  private mutating func probe(of identity: Identity) -> RigidArray<UInt8> {
    var probe = ClockProbe(
      ssrc: random.number(), identity: identity.bits, rateLimit: UInt16(random.integer(in: 0...50)), sentAt: instant())
    for _ in 0..<random.integer(in: 0...2) {
      probe = probe.answer(from: probe.ssrc, identity: identity.bits, receivedAt: instant(), sentAt: instant()) ?? probe
    }
    var octets = RigidArray<UInt8>(capacity: ClockProbe.length)
    _ = probe.append(to: &octets)
    return octets
  }

  /// An RTP packet of version 2 and payload type 97 with random content.
  private mutating func stream() -> RigidArray<UInt8> {
    var octets = octets(upTo: 300)
    let header: [UInt8] = [0x80, 0x61]
    for (index, octet) in header.enumerated() where index < octets.count { octets[index] = octet }
    return octets
  }

  private mutating func octets(upTo limit: Int64) -> RigidArray<UInt8> {
    var octets = RigidArray<UInt8>(capacity: Int(limit))
    for _ in 0..<random.integer(in: 0...limit) { octets.append(UInt8(truncatingIfNeeded: random.next())) }
    return octets
  }

  private mutating func instant() -> Instant {
    Instant(nanoseconds: random.integer(in: 0...2_000_000_000_000))
  }

  private mutating func send(
    _ octets: borrowing RigidArray<UInt8>, to target: Int, _ port: Port, as forged: Int, _ world: VirtualWorld
  ) {
    sent += 1
    world.wire.send(octets, from: SocketAddress(host: forged, port), to: SocketAddress(host: target, port))
  }
}

extension SplitMix {
  /// A random number of 32 bits.
  fileprivate mutating func number() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}
