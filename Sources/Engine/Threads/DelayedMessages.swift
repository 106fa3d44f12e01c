import BasicContainers
import MusicalTime
import Sending

/// The messages of the local player's instrument and phrase that wait for their instants, in the order of these instants. A standard device
/// gets a message at the instant at which the message takes effect, because the device does not know the local clock.
struct DelayedMessages: ~Copyable {
  /// The maximum number of messages. This number suffices, because an instrument or a phrase produces messages at most
  /// ``InstrumentSettings/lead`` in advance.
  private static var capacity: Int { @_noLocks @_noAllocation get { 256 } }

  private var messages = RigidArray<StreamMessage>(capacity: DelayedMessages.capacity)
  private var instants = RigidArray<Instant>(capacity: DelayedMessages.capacity)

  /// The instant of the next message.
  var nextDeadline: Instant { @_noLocks @_noAllocation get { instants.isEmpty ? .distantFuture : instants[0] } }

  /// Adds a message. Messages with the same instant keep their order.
  ///
  /// - Returns: false if there is no room.
  @_noLocks @_noAllocation
  mutating func insert(_ message: StreamMessage, at instant: Instant) -> Bool {
    guard messages.freeCapacity > 0 else { return false }
    var index = messages.count
    while index > 0, instants[index - 1] > instant { index -= 1 }
    messages.insert(message, at: index)
    instants.insert(instant, at: index)
    return true
  }

  /// Removes and returns the next message if it is due.
  @_noLocks @_noAllocation
  mutating func take(at now: Instant) -> StreamMessage? {
    guard !instants.isEmpty, instants[0] <= now else { return nil }
    instants.remove(at: 0)
    return messages.remove(at: 0)
  }

  /// Removes all Note Ons, because the caller ends all notes and no further note must begin. The Note Offs remain. A Note Off of a note
  /// that does not sound has no effect.
  @_noLocks @_noAllocation
  mutating func removeBeginnings() {
    var index = 0
    while index < messages.count {
      if messages[index].message.startsNote {
        messages.remove(at: index)
        instants.remove(at: index)
      } else {
        index += 1
      }
    }
  }
}
