import MIDI
import MusicalTime
import PeerProtocol
internal import RTPMIDI
import Simulation

/// A peer that follows the protocol. It has an ``Endpoint`` and an RTP stream of random messages.
///
/// Three quarters of the peers send a recovery journal. Independently, three quarters of the peers send each packet with its send
/// instant, in a header extension.
final class GenuinePeer {
  let endpoint: Endpoint
  private var sender: PacketSender
  private var improviser: Improviser
  private var random: SplitMix

  /// The objects that check and remove the tags of received datagrams, by session. Without a passkey, there are none.
  var openers: [SessionID: DatagramOpener] = [:]
  /// Writes the tags of the stream in the newest session; nil without a passkey.
  private var sealer: DatagramSealer?

  init(number: Int, key: GroupKey?, seed: UInt64) {
    random = SplitMix(seed: seed)
    endpoint = Endpoint(
      name: "peer \(number)", identity: UInt64(number), key: key, random: SplitMix(seed: random.next()))
    improviser = Improviser(seed: random.next())
    sender = PacketSender(ssrc: 1, sequence: UInt16(truncatingIfNeeded: random.next()))
    sender.sendsJournal = random.integer(in: 0...3) > 0
    sender.sendsInstants = random.integer(in: 0...3) > 0
  }

  /// Starts a new RTP stream after a session was established.
  ///
  /// - Parameter ssrc: the SSRC of this peer in the session.
  func join(as ssrc: UInt32) { sender.restart(ssrc: ssrc, sequence: UInt16(truncatingIfNeeded: random.next())) }

  /// Creates the objects that check and write the tags of a new session. Does nothing without a passkey.
  func established(_ id: SessionID) {
    guard let keys = endpoint.keys(of: id) else { return }
    openers[id] = DatagramOpener(keys)
    // In a real peer, the clock thread sends the stream.
    sealer = DatagramSealer(keys, thread: .clock)
  }

  /// Checks the tag of a received datagram.
  ///
  /// - Returns: the datagram, and whether its tag is valid for one of the sessions. A valid tag is removed from the datagram.
  func open(_ datagram: [UInt8], port: Port) -> (octets: [UInt8], isAuthentic: Bool) {
    for id in openers.keys.sorted(by: { $0.number < $1.number }) {
      if let count = openers[id]!.open(datagram.span, port: port) { return (Array(datagram.prefix(count)), true) }
    }
    return (datagram, false)
  }

  /// Returns the next packet of the stream; an empty array if there is nothing to send.
  ///
  /// The packet contains one message of the ``Improviser``, or a System Exclusive message or its first segment, or it is a guard
  /// packet. With a passkey, the packet has a tag.
  func play(at now: Instant) -> [UInt8] {
    var packet = packet(at: now)
    guard !packet.isEmpty else { return packet }
    if sender.sendsInstants {
      // The send instant: eight octets, big-endian.
      for index in 0..<8 {
        packet[RTPHeader.instantOffset + index] = UInt8(truncatingIfNeeded: now.nanoseconds >> (56 - 8 * index))
      }
    }
    guard sealer != nil else { return packet }
    return octets(capacity: packet.count + DatagramSealer.length) {
      for octet in packet { $0.append(octet) }
      sealer!.seal(&$0, port: .data, at: now)
    }
  }

  /// Returns the next packet without its send instant and its tag.
  private func packet(at now: Instant) -> [UInt8] {
    switch random.integer(in: 0...9) {
    case 0:
      // With room for only 40 octets, the packet contains the first segment of a long System Exclusive.
      return octets(capacity: random.integer(in: 0...1) == 0 ? 40 : 1400) {
        _ = sender.encode(systemExclusive: rigid(improviser.systemExclusive()), at: now, into: &$0)
      }
    case 1: return octets { _ = sender.encodeGuard(at: now, into: &$0) }
    default: return octets { _ = sender.encode(improviser.next(), at: now, into: &$0) }
    }
  }

  /// Records that the receiver has acknowledged the packets of the stream up to `sequence`.
  func acknowledge(_ sequence: UInt16) { sender.acknowledge(sequence) }
}
