import BasicContainers
import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// A sender with a journal, and its latest packet. A class, because an expectation cannot capture a noncopyable value.
final class JournalSender {
  var sender: PacketSender
  private(set) var packet: [UInt8] = []

  init(sequence: UInt16 = 1, capacity: Int = 256) {
    sender = PacketSender(ssrc: 1, sequence: sequence, historyCapacity: capacity)
    sender.sendsJournal = true
  }

  // Properties of `sender`, for expectations.
  /// Whether unacknowledged commands need guard packets.
  var hasUnacknowledged: Bool { sender.hasUnacknowledged }
  /// The number of commands that were removed from the journal for lack of space.
  var discarded: UInt64 { sender.discarded }
  /// The sequence number of the next packet.
  var sequence: UInt16 { sender.sequence }

  /// Sends `messages` in separate packets.
  func send(_ messages: Message...) { send(messages) }

  func send(_ messages: [Message]) {
    for message in messages {
      packet = octets { _ = sender.encode(message, at: Instant(nanoseconds: 1), into: &$0) }
    }
  }

  /// Sends a System Exclusive in segments, each in a packet of at most `capacity` octets. Stops after `limit` segments, or if
  /// nothing can be encoded.
  func send(exclusive data: [UInt8], capacity: Int = 1472, segments limit: Int = .max, isJournalled: Bool = true) {
    var sent = 0
    var segments = 0
    repeat {
      packet = octets(capacity: capacity) {
        let next = sender.encode(
          systemExclusive: rigid(data), from: sent, at: Instant(nanoseconds: 1), isJournalled: isJournalled, into: &$0)
        sent = next ?? data.count
      }
      segments += 1
    } while sent < data.count && segments < limit
  }

  /// Sends a guard packet and returns its journal.
  func journalOfGuardPacket() throws -> SentJournal {
    packet = octets { _ = sender.encodeGuard(at: Instant(nanoseconds: 1), into: &$0) }
    return try SentJournal(packet)
  }
}
