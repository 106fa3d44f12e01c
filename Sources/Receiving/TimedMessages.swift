import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI

/// The messages of remote peers that have arrived before the instants at which they take effect, in the order in which they are
/// released.
///
/// A peer sends a quantized note in advance, with the instant of its line of the grid as time stamp, so that the note sounds at the
/// same instant at all peers. A message is released ``Receiver/soundLead`` before its instant. Its copy for the control thread is
/// released at the instant.
struct TimedMessages: ~Copyable {
  /// What is released.
  enum Content: BitwiseCopyable {
    /// A message. `stamp` is its time stamp, and `arrival` the arrival of its packet.
    case message(Message, stamp: Instant, arrival: Instant)
    /// The copy of a message for the control thread.
    case reception(Reception)
  }

  struct Entry: BitwiseCopyable {
    let session: SessionID
    let place: SessionBlock.Place
    var content: Content
    /// When the message takes effect.
    var instant: Instant
    /// When the entry is released.
    var release: Instant

    @_noLocks @_noAllocation
    init(_ content: Content, of session: SessionID, at place: SessionBlock.Place, instant: Instant, release: Instant) {
      (self.content, self.session, self.place) = (content, session, place)
      (self.instant, self.release) = (instant, release)
    }
  }

  private static var capacity: Int { @_noLocks @_noAllocation get { 512 } }
  /// The maximum number of entries of a session, so that one peer does not use up the capacity.
  private static var capacityPerSession: Int { @_noLocks @_noAllocation get { 128 } }

  private var entries = RigidArray<Entry>(capacity: TimedMessages.capacity)

  /// When the next entry is released.
  var nextRelease: Instant { @_noLocks @_noAllocation get { entries.isEmpty ? .distantFuture : entries[0].release } }

  /// Adds an entry. Entries with the same release keep their order.
  ///
  /// An earlier note of the same key ends at the latest when a note begins: if the end waits for a later instant, it moves to this
  /// one.
  ///
  /// - Returns: false if there is no room.
  @_noLocks @_noAllocation
  mutating func insert(_ entry: Entry) -> Bool {
    guard hasRoom(for: entry.session) else { return false }
    if case .message(let message, _, _) = entry.content, message.startsNote { moveEnd(before: entry, message) }
    place(entry)
    return true
  }

  /// Removes and returns the next entry if it is due at `now`.
  @_noLocks @_noAllocation
  mutating func take(at now: Instant) -> Entry? {
    guard !entries.isEmpty, entries[0].release <= now else { return nil }
    return entries.remove(at: 0)
  }

  /// Removes the beginnings of notes that `message`, which takes effect at once, ends.
  @_noLocks @_noAllocation
  mutating func removeBeginnings(endedBy message: Message, of session: SessionID) {
    guard !entries.isEmpty, message.endsAllNotes || message.silencesNote else { return }
    var index = 0
    while index < entries.count {
      if entries[index].session.number == session.number, case .message(let other, _, _) = entries[index].content,
        other.startsNote, message.ends(other)
      {
        entries.remove(at: index)
      } else {
        index += 1
      }
    }
  }

  /// Removes all entries of a session, which has ended.
  @_noLocks @_noAllocation
  mutating func removeAll(of session: SessionID) {
    var index = 0
    while index < entries.count {
      if entries[index].session.number == session.number { entries.remove(at: index) } else { index += 1 }
    }
  }

  /// Removes all entries.
  @_noLocks @_noAllocation
  mutating func removeAll() { entries.removeAll() }

  @_noLocks @_noAllocation
  private func hasRoom(for session: SessionID) -> Bool {
    guard entries.count < Self.capacity else { return false }
    var (index, count) = (0, 0)
    while index < entries.count {
      if entries[index].session.number == session.number { count += 1 }
      index += 1
    }
    return count < Self.capacityPerSession
  }

  /// Moves the end of an earlier note of the key to the beginning of the note of `entry`, if it is later.
  @_noLocks @_noAllocation
  private mutating func moveEnd(before entry: Entry, _ beginning: Message) {
    var index = 0
    while index < entries.count {
      if entries[index].session.number == entry.session.number, entries[index].instant > entry.instant,
        case .message(let other, _, _) = entries[index].content, other.silencesNote, other.ends(beginning)
      {
        var end = entries.remove(at: index)
        (end.instant, end.release) = (entry.instant, entry.release)
        return place(end)
      }
      index += 1
    }
  }

  /// Inserts an entry in order. There is room.
  @_noLocks @_noAllocation
  private mutating func place(_ entry: Entry) {
    var index = entries.count
    while index > 0, entries[index - 1].release > entry.release { index -= 1 }
    entries.insert(entry, at: index)
  }
}

extension Message {
  /// Whether this message, which ends one or all notes of its channel, ends the note that `beginning` starts.
  @_noLocks @_noAllocation
  fileprivate func ends(_ beginning: Message) -> Bool {
    guard let channel, let other = beginning.channel, channel.wire == other.wire else { return false }
    if endsAllNotes { return true }
    guard let key, let otherKey = beginning.key else { return false }
    return key.value == otherKey.value
  }
}
