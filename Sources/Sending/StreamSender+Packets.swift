import BasicContainers
import MIDI
public import MusicalTime
import PeerProtocol
public import RTPMIDI

// Encoding of packets, their completion before they are sent, and their counters.
extension StreamSender {
  /// Writes the send instant into the packet of `transmission`, if the receiver is a Tutti peer, and appends the tag, if the
  /// session has a passkey. Call this function immediately before the packet is sent.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func seal(_ transmission: Transmission, sentAt instant: Instant) {
    if transmission.carriesSendInstant {
      let bits = UInt64(bitPattern: instant.nanoseconds)
      for index in 0..<8 {
        packet[RTPHeader.instantOffset + index] = UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * index))
      }
    }
    streams[transmission.slot].sealer?.seal(&packet, port: .data, at: instant)
  }

  /// Counts the packet of `transmission`.
  ///
  /// - Parameter isAccepted: whether the network accepted the packet.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func finish(_ transmission: Transmission, isAccepted: Bool) {
    if isAccepted { sent += 1 } else { unsent += 1 }
  }

  /// Encodes a packet with `message`, which takes effect at `instant`, into ``StreamSender/packet``.
  @_noLocks @_noAllocation
  mutating func encode(_ message: Message, at instant: Instant, on slot: Int, now: Instant) -> Transmission? {
    packet.removeAll()
    prepareAnnouncements(on: slot, at: now, stamped: instant)
    prepareJournal(on: slot, at: now)
    guard senders[slot].encode(message, at: instant, into: &packet) else { return nil }
    charge(on: slot, at: now)
    scheduleGuard(on: slot, at: now)
    let transmission = transmission(on: slot)
    if senders[slot].sendsInstants, message.startsNote || message.silencesNote, instant > now {
      // Octets 2 and 3 of the RTP header are the sequence number.
      streams[slot].announced.add(UInt16(packet[2]) &<< 8 | UInt16(packet[3]), at: instant)
    }
    return transmission
  }

  /// Determines which earlier packets the next packet announces, and reserves room in its header extension. The next
  /// packet is encoded at `now` and has the time stamp of the instant `stamp`.
  ///
  /// A packet announces the sequence numbers and time stamps of earlier packets with notes that are not due yet. If an
  /// announced packet is lost, the receiver gets its notes from the recovery journal. The journal has no time stamps. The
  /// receiver therefore gets the time stamp of the notes from the announcement (``AnnouncedPackets``).
  @_noLocks @_noAllocation
  mutating func prepareAnnouncements(on slot: Int, at now: Instant, stamped stamp: Instant) {
    guard streams[slot].announced.count > 0 else { return }
    streams[slot].announced.prepare(forPacketAt: now, stamped: stamp)
    if senders[slot].sendsInstants {
      senders[slot].headerExtension = .sendInstant(announcing: streams[slot].announced.count)
    }
  }

  /// Determines whether the next packet contains a recovery journal.
  @_noLocks @_noAllocation
  private mutating func prepareJournal(on slot: Int, at now: Instant) {
    guard senders[slot].recordsHistory() else { return }
    senders[slot].omitsJournal = !admits(.journal, on: slot, at: now)
  }

  /// Encodes a packet with the System Exclusive message in ``StreamSender/exclusive`` into ``StreamSender/packet``.
  @_noLocks @_noAllocation
  mutating func encodeExclusive(isJournalled: Bool, on slot: Int, now: Instant) -> Transmission? {
    packet.removeAll()
    prepareAnnouncements(on: slot, at: now, stamped: now)
    prepareJournal(on: slot, at: now)
    // A part of a document and a journal do not fit into one packet. The next packet contains the journal.
    if exclusive.count > SystemExclusiveData.capacity { senders[slot].omitsJournal = true }
    let count = senders[slot].encode(
      systemExclusive: exclusive, from: 0, at: now, isJournalled: isJournalled, into: &packet)
    guard case .some = count else { return nil }
    charge(on: slot, at: now)
    scheduleGuard(on: slot, at: now)
    return transmission(on: slot)
  }

  /// Completes the packet of the stream in a slot, except for the send instant and the tag, and returns its transmission.
  @_noLocks @_noAllocation
  mutating func transmission(on slot: Int) -> Transmission {
    if senders[slot].sendsInstants { streams[slot].announced.write(into: &packet) }
    return Transmission(
      address: streams[slot].address, local: streams[slot].local, slot: slot,
      carriesSendInstant: senders[slot].sendsInstants)
  }
}

/// What the driver needs to send the packet in ``StreamSender/packet``: the addresses, and what
/// ``StreamSender/seal(_:sentAt:)`` must add to the packet.
public struct Transmission: Sendable, BitwiseCopyable {
  /// The data port of the receiver.
  public let address: SocketAddress
  /// The local address from which the packet leaves; nil if the host chooses it.
  public let local: SocketAddress?
  /// The slot of the stream.
  let slot: Int
  /// Whether the packet has room for the send instant, which ``StreamSender/seal(_:sentAt:)`` writes.
  let carriesSendInstant: Bool
  /// The tick that the packet carries; nil for any other packet.
  public internal(set) var tick: Tick?
  /// Whether the tick leaves ahead of its due time, because the receiver honours time stamps.
  public internal(set) var isAhead = false
}
