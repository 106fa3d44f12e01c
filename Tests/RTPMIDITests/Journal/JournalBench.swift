import BasicContainers
import MIDI
import MusicalTime
import Testing

@testable import RTPMIDI

/// A sender with a journal, and what it has sent. (A class, since an expectation cannot hold what is not copyable.)
final class JournalBench {
  var sender: PacketSender
  private(set) var packet: [UInt8] = []

  init(sequence: UInt16 = 1, capacity: Int = 256) {
    sender = PacketSender(ssrc: 1, sequence: sequence, historyCapacity: capacity)
    sender.sendsJournal = true
  }

  var hasUnacknowledged: Bool { sender.hasUnacknowledged }
  var forgotten: UInt64 { sender.forgotten }
  var sequence: UInt16 { sender.sequence }

  /// Sends `messages`, a packet each.
  func send(_ messages: Message...) { send(messages) }

  func send(_ messages: [Message]) {
    for message in messages {
      packet = octets { _ = sender.encode(message, at: Instant(nanoseconds: 1), into: &$0) }
    }
  }

  /// Sends a System Exclusive in packets of `capacity` octets at most, or only its first `pieces`.
  func send(exclusive data: [UInt8], capacity: Int = 1472, pieces: Int = .max, isJournalled: Bool = true) {
    var sent = 0
    var count = 0
    repeat {
      packet = octets(capacity: capacity) {
        sent =
          sender.encode(
            systemExclusive: rigid(data), from: sent, at: Instant(nanoseconds: 1), isJournalled: isJournalled, into: &$0
          )
          ?? data.count
      }
      count += 1
    } while sent < data.count && count < pieces
  }

  /// The journal of a guard packet sent now.
  func journal() throws -> SentJournal {
    packet = octets { _ = sender.encodeGuard(at: Instant(nanoseconds: 1), into: &$0) }
    return try SentJournal(packet)
  }
}
