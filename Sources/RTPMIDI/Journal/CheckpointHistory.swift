import BasicContainers
import MIDI

/// What one stream has said since its checkpoint, and of all before just what the journal's counts and toggles need
/// (RFC 6295 section 4 and appendix A.1).
///
/// Each thing said of a channel is one ``HistoryEntry``, the newest of its kind, in the order in which they were said,
/// oldest first. So the log lists come out in their order, and what a receiver has acknowledged goes from the front.
/// System messages have one state a chapter. Everything is of fixed size. When a receiver acknowledges nothing, the
/// oldest is dropped, and the checkpoint moves behind it: that happens when the entries are full, when the journal does
/// not fit its packet, or when the checkpoint is 2^14 packets back. Sequence numbers less than 2^15 apart compare
/// rightly though they wrap, so none is ever extended.
struct CheckpointHistory: ~Copyable {
  /// Chapter C has the enhanced encoding.
  var isEnhanced = false
  /// While not, only what concerns the whole stream is kept.
  private(set) var isRecording = false
  /// The first packet of the history.
  private(set) var checkpoint: UInt16 = 0
  /// How many entries were dropped unacknowledged.
  private(set) var forgotten: UInt64 = 0
  var entries: RigidArray<HistoryEntry>
  var system = SystemHistory()
  var exclusives = ExclusiveHistory(logs: 32, octets: 512)
  var channels = RigidArray<ChannelHistory>(repeating: ChannelHistory(), count: 16)
  var parameters = RigidArray<ParameterHistory>(capacity: 32)
  /// The last ``ParameterHistory/use``.
  var parameterUse: UInt32 = 0
  /// For each channel and note, how many Note Ons have had no Note Off.
  var references = RigidArray<UInt8>(repeating: 0, count: 16 * 128)
  /// For each channel and controller, how often it was sent, modulo 64.
  var controllerCounts = RigidArray<UInt8>(repeating: 0, count: 16 * 128)

  /// - Parameter capacity: entries at most; at least 1.
  init(capacity: Int) { entries = RigidArray(capacity: max(capacity, 1)) }

  /// Forgets the stream; the next packet is `sequence`.
  @_noLocks @_noAllocation
  mutating func restart(at sequence: UInt16) {
    entries.removeAll()
    system = SystemHistory()
    exclusives.restart()
    for channel in 0..<16 { channels[channel] = ChannelHistory() }
    parameters.removeAll()
    for index in 0..<references.count { references[index] = 0 }
    for index in 0..<controllerCounts.count { controllerCounts[index] = 0 }
    (isRecording, checkpoint, forgotten) = (false, sequence, 0)
  }

  /// From packet `sequence` on the history is kept, or is not.
  @_noLocks @_noAllocation
  mutating func record(_ isRecording: Bool, from sequence: UInt16) {
    guard isRecording != self.isRecording else { return }
    _ = drop(through: sequence &- 1)
    exclusives.removeAll()
    self.isRecording = isRecording
  }

  /// Whether it holds anything that a receiver may not have and that no one sends again.
  var hasUnacknowledged: Bool {
    @_noLocks @_noAllocation get {
      if !entries.isEmpty { return true }
      return system.wantsGuard ? true : exclusives.hasData(since: checkpoint)
    }
  }

  /// A receiver has all up to packet `acknowledged`. One that was not sent, or is before the checkpoint, changes nothing.
  @_noLocks @_noAllocation
  mutating func trim(acknowledged: UInt16, next: UInt16) {
    guard next.isAfter(acknowledged), !checkpoint.isAfter(acknowledged) else { return }
    _ = drop(through: acknowledged)
  }

  /// Drops the oldest eighth of the entries; when there are none, what else is oldest. Returns false when all is gone.
  @_noLocks @_noAllocation
  mutating func forgetOldest(before next: UInt16) -> Bool {
    if !entries.isEmpty {
      let count = 1 + entries.count / 8
      forget(through: entries[count - 1].packet)
      return true
    }
    if let packet = exclusives.removeFirst() {
      forgotten &+= 1
      // One that is not ended may be of before the checkpoint.
      if !checkpoint.isAfter(packet) { forget(through: packet) }
      return true
    }
    guard !system.isEmpty else { return false }
    forget(through: next &- 1)
    return true
  }

  /// Keeps the checkpoint near enough for its number to be understood.
  @_noLocks @_noAllocation
  mutating func limitSpan(before next: UInt16) {
    if next &- checkpoint >= 1 << 14 { forget(through: next &- (3 << 12) &- 1) }
  }

  /// Counts things dropped unacknowledged.
  @_noLocks @_noAllocation
  mutating func addForgotten(_ count: Int) { forgotten &+= UInt64(count) }

  /// Drops what `packet` and those before it said, unacknowledged.
  @_noLocks @_noAllocation
  mutating func forget(through packet: UInt16) {
    addForgotten(drop(through: packet))
  }

  /// Drops what was said in `packet` and before. Returns how many things that was.
  @_noLocks @_noAllocation
  private mutating func drop(through packet: UInt16) -> Int {
    var count = 0
    while count < entries.count {
      if entries[count].packet.isAfter(packet) { break }
      count += 1
    }
    if count > 0 { entries.removeSubrange(0..<count) }
    count += system.trim(through: packet)
    count += exclusives.trim(through: packet)
    checkpoint = packet &+ 1
    return count
  }

  /// Makes `entry` the newest, in place of an older one of the same thing.
  @_noLocks @_noAllocation
  mutating func note(_ entry: HistoryEntry) {
    guard isRecording else { return }
    remove(entry.place, entry.number)
    append(entry)
  }

  /// Makes `entry` the newest.
  @_noLocks @_noAllocation
  mutating func append(_ entry: HistoryEntry) {
    if entries.freeCapacity == 0 { forget(through: entries[0].packet) }
    entries.append(entry)
  }

  /// Removes the newest entry of a thing. Returns false when there is none.
  @_noLocks @_noAllocation
  @discardableResult
  mutating func remove(_ place: UInt8, _ number: UInt8) -> Bool {
    var index = entries.count
    while index > 0 {
      index -= 1
      if entries[index].number == number, entries[index].place == place {
        entries.remove(at: index)
        return true
      }
    }
    return false
  }

  /// Removes all entries of a thing: with the enhanced encoding a controller has several.
  @_noLocks @_noAllocation
  mutating func removeAll(_ place: UInt8, _ number: UInt8) {
    while remove(place, number) {}
  }
}
