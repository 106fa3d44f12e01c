import BasicContainers
import MIDI
import MusicalTime
import Playback
import RTPMIDI

/// The messages of remote peers that have arrived before the instants at which they take effect, in the order in which they are
/// released, that is, removed by ``take(at:)`` and passed on.
///
/// A peer sends a quantized note in advance, so that the note sounds at the same instant at all peers. The time stamp
/// of the note is the instant of the grid position to which the note was moved. If the instant is that of a tick of the
/// rhythm, the message stays at this tick when the tempo changes. A message is released ``Receiver/soundLead`` before
/// its instant. Its copy for the control thread is released at the instant.
struct TimedMessages: ~Copyable {
  /// The content of an entry.
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
    /// The instant at which the message takes effect.
    var instant: Instant
    /// How long before ``instant`` the entry is released.
    let lead: Nanoseconds
    /// The tick at which the message takes effect; nil if the message does not belong to a tick.
    var tick: Tick?

    /// When the entry is released.
    var release: Instant { @_noLocks @_noAllocation get { instant - lead } }
    /// Whether the entry is the beginning of a note.
    var startsNote: Bool {
      @_noLocks @_noAllocation get {
        if case .message(let message, _, _) = content { message.startsNote } else { false }
      }
    }

    @_noLocks @_noAllocation
    init(_ content: Content, of session: SessionID, at place: SessionBlock.Place, instant: Instant, lead: Nanoseconds) {
      (self.content, self.session, self.place) = (content, session, place)
      (self.instant, self.lead) = (instant, lead)
    }
  }

  /// The maximum number of entries.
  private static var capacity: Int { @_noLocks @_noAllocation get { 256 } }
  /// The maximum number of entries of a session, so that one peer does not use up the capacity.
  private static var capacityPerSession: Int { @_noLocks @_noAllocation get { 64 } }

  private var entries = RigidArray<Entry>(capacity: TimedMessages.capacity)
  /// The schedule of the rhythm. A message whose instant is near that of a tick takes effect at this tick.
  private var rhythm = PlaybackSchedule.silence

  /// When the next entry is released.
  var nextRelease: Instant { @_noLocks @_noAllocation get { entries.isEmpty ? .distantFuture : entries[0].release } }

  /// Adds an entry. Entries with the same release instant keep their order.
  ///
  /// If the entry begins a note, an earlier note of the same key must end at or before this beginning. If the end of the
  /// earlier note waits for a later instant, this end moves to the beginning of the new note.
  ///
  /// - Returns: false if there is no room.
  @_noLocks @_noAllocation
  mutating func insert(_ entry: Entry) -> Bool {
    guard hasRoom(for: entry.session) else { return false }
    var entry = entry
    if case .message = entry.content, let tick = rhythm.tick(near: entry.instant) {
      (entry.tick, entry.instant) = (tick, rhythm.deadline(tick))
    }
    if case .message(let message, _, _) = entry.content, message.startsNote { moveEnd(before: entry, message) }
    insertInOrder(entry)
    return true
  }

  /// Removes and returns the next entry if it is due at `now`.
  @_noLocks @_noAllocation
  mutating func take(at now: Instant) -> Entry? {
    guard !entries.isEmpty, entries[0].release <= now else { return nil }
    return entries.remove(at: 0)
  }

  /// Adopts a new schedule. Messages at ticks of the rhythm move with the ticks. Beginnings of notes at ticks at or after
  /// the end of the rhythm are removed. If the new run does not continue the previous run, all beginnings of notes at ticks
  /// of the previous run are removed, and the other messages keep their instants.
  @_noLocks @_noAllocation
  mutating func follow(_ schedule: PlaybackSchedule) {
    let continues = schedule.run != 0 && schedule.continuesRun(from: rhythm.run)
    rhythm = schedule
    var index = 0
    while index < entries.count {
      guard let tick = entries[index].tick else {
        index += 1
        continue
      }
      if entries[index].startsNote, !continues || tick >= schedule.end {
        entries.remove(at: index)
        continue
      }
      if continues { entries[index].instant = schedule.deadline(tick) } else { entries[index].tick = nil }
      // Moves the entry towards the start of the list until the release instants are in order again. The entries before
      // `index` are in order already.
      var position = index
      while position > 0, entries[position - 1].release > entries[position].release {
        let entry = entries[position]
        entries[position] = entries[position - 1]
        entries[position - 1] = entry
        position -= 1
      }
      index += 1
    }
  }

  /// Removes the entries that `message`, which takes effect at once, supersedes. A message that ends notes
  /// supersedes the waiting beginnings of these notes. A message that begins a note supersedes the waiting end of an
  /// earlier note of the key.
  @_noLocks @_noAllocation
  mutating func removeMessages(supersededBy message: Message, of session: SessionID) {
    let (ends, begins) = (message.endsAllNotes || message.silencesNote, message.startsNote)
    guard !entries.isEmpty, ends || begins else { return }
    var index = 0
    while index < entries.count {
      if entries[index].session.number == session.number, case .message(let other, _, _) = entries[index].content,
        ends && other.startsNote && message.ends(other) || begins && other.silencesNote && other.ends(message)
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

  /// Moves the end of an earlier note of the same key to the beginning of the note of `entry`, if the end is later than this
  /// beginning.
  @_noLocks @_noAllocation
  private mutating func moveEnd(before entry: Entry, _ beginning: Message) {
    for index in 0..<entries.count {
      if entries[index].session.number == entry.session.number, entries[index].instant > entry.instant,
        case .message(let other, _, _) = entries[index].content, other.silencesNote, other.ends(beginning)
      {
        var end = entries.remove(at: index)
        (end.instant, end.tick) = (entry.instant, entry.tick)
        return insertInOrder(end)
      }
    }
  }

  /// Inserts an entry in order. The caller makes sure that there is room.
  @_noLocks @_noAllocation
  private mutating func insertInOrder(_ entry: Entry) {
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
