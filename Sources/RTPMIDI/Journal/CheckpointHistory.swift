import BasicContainers
import MIDI

/// The checkpoint history of one stream at the sender, and the state since the start of the session, from which the
/// journal's counts and toggles are computed (RFC 6295 section 4 and appendix A.1).
///
/// For the channel chapters, one ``HistoryEntry`` holds the newest command of each kind. The entries are ordered by
/// their packets, the oldest first. Therefore the log lists are encoded in order, and acknowledged entries are removed
/// from the front. For each system chapter, there is one state. All storage has a fixed size. If no receiver
/// acknowledges, the oldest entries are discarded and the checkpoint moves behind them. This happens when the entries
/// are full, when the journal does not fit into its packet, and when the checkpoint is 2^14 packets back. Sequence
/// numbers less than 2^15 apart compare correctly although they wrap, so they need not be extended.
struct CheckpointHistory: ~Copyable {
  /// Whether Chapter C has the enhanced encoding.
  var isEnhanced = false
  /// Whether the history is recorded. If not, only the state since the start of the session is updated.
  private(set) var isRecording = false
  /// The checkpoint: the first packet that the journal covers.
  private(set) var checkpoint: UInt16 = 0
  /// The number of entries that were discarded without an acknowledgement.
  private(set) var discarded: UInt64 = 0
  var entries: RigidArray<HistoryEntry>
  var system = SystemHistory()
  var exclusives = ExclusiveHistory(logs: 32, octets: 512)
  var channels = RigidArray<ChannelHistory>(repeating: ChannelHistory(), count: 16)
  var parameters = RigidArray<ParameterHistory>(capacity: 32)
  /// The newest value of ``ParameterHistory/lastUse``.
  var newestUse: UInt32 = 0
  /// The reference counts of RFC 6295 appendix A.7, at index 128 * channel + note: the number of Note Ons of the note
  /// without a Note Off.
  var references = RigidArray<UInt8>(repeating: 0, count: 16 * 128)
  /// The number of control changes, modulo 64, at index 128 * channel + controller.
  var controllerCounts = RigidArray<UInt8>(repeating: 0, count: 16 * 128)

  /// - Parameter capacity: the largest number of entries; at least 1.
  init(capacity: Int) { entries = RigidArray(capacity: max(capacity, 1)) }

  /// Discards the state of the stream. The next packet is `sequence`.
  @_noLocks @_noAllocation
  mutating func restart(at sequence: UInt16) {
    entries.removeAll()
    system = SystemHistory()
    exclusives.restart()
    for channel in 0..<16 { channels[channel] = ChannelHistory() }
    parameters.removeAll()
    for index in 0..<references.count { references[index] = 0 }
    for index in 0..<controllerCounts.count { controllerCounts[index] = 0 }
    (isRecording, checkpoint, discarded) = (false, sequence, 0)
  }

  /// Starts or stops recording with packet `sequence`.
  @_noLocks @_noAllocation
  mutating func record(_ isRecording: Bool, from sequence: UInt16) {
    guard isRecording != self.isRecording else { return }
    _ = removeEntries(through: sequence &- 1)
    exclusives.removeAll()
    self.isRecording = isRecording
  }

  /// Whether the history contains anything that a receiver may lack and that no later command repeats.
  var hasUnacknowledged: Bool {
    @_noLocks @_noAllocation get {
      if !entries.isEmpty { return true }
      return system.needsGuardPacket ? true : exclusives.hasData(since: checkpoint)
    }
  }

  /// Removes what a receiver has acknowledged by receiving packet `acknowledged`. The call has no effect if that packet
  /// was not sent or lies before the checkpoint.
  @_noLocks @_noAllocation
  mutating func trim(acknowledged: UInt16, next: UInt16) {
    guard next.isAfter(acknowledged), !checkpoint.isAfter(acknowledged) else { return }
    _ = removeEntries(through: acknowledged)
  }

  /// Discards the oldest eighth of the entries; if there are none, the oldest other state. Returns false if nothing is
  /// left.
  @_noLocks @_noAllocation
  mutating func discardOldest(before next: UInt16) -> Bool {
    if !entries.isEmpty {
      let count = 1 + entries.count / 8
      discard(through: entries[count - 1].packet)
      return true
    }
    if let packet = exclusives.removeFirst() {
      discarded &+= 1
      // A System Exclusive that has not ended can be older than the checkpoint.
      if !checkpoint.isAfter(packet) { discard(through: packet) }
      return true
    }
    guard !system.isEmpty else { return false }
    discard(through: next &- 1)
    return true
  }

  /// Limits the distance of the checkpoint to 2^14 packets, so that its 16-bit sequence number remains unambiguous. At
  /// the limit, the checkpoint moves to 3 * 2^12 packets back. It therefore moves at most once per 2^12 packets, and not
  /// with every packet.
  @_noLocks @_noAllocation
  mutating func limitSpan(before next: UInt16) {
    if next &- checkpoint >= 1 << 14 { discard(through: next &- (3 << 12) &- 1) }
  }

  /// Counts entries that were discarded without an acknowledgement.
  @_noLocks @_noAllocation
  mutating func addDiscarded(_ count: Int) { discarded &+= UInt64(count) }

  /// Discards the unacknowledged commands of `packet` and of the packets before it.
  @_noLocks @_noAllocation
  mutating func discard(through packet: UInt16) {
    addDiscarded(removeEntries(through: packet))
  }

  /// Removes the commands of `packet` and of the packets before it. Returns the number of removed entries.
  @_noLocks @_noAllocation
  private mutating func removeEntries(through packet: UInt16) -> Int {
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

  /// Appends `entry` and removes an older entry of the same kind and number.
  @_noLocks @_noAllocation
  mutating func update(_ entry: HistoryEntry) {
    guard isRecording else { return }
    remove(entry.chapterID, entry.number)
    append(entry)
  }

  /// Appends `entry` as the newest one.
  @_noLocks @_noAllocation
  mutating func append(_ entry: HistoryEntry) {
    if entries.freeCapacity == 0 { discard(through: entries[0].packet) }
    entries.append(entry)
  }

  /// Removes the newest entry of this kind and number. Returns false if there is none.
  @_noLocks @_noAllocation
  @discardableResult
  mutating func remove(_ chapterID: UInt8, _ number: UInt8) -> Bool {
    var index = entries.count
    while index > 0 {
      index -= 1
      if entries[index].number == number, entries[index].chapterID == chapterID {
        entries.remove(at: index)
        return true
      }
    }
    return false
  }

  /// Removes all entries of this kind and number. With the enhanced encoding, a controller has several.
  @_noLocks @_noAllocation
  mutating func removeAll(_ chapterID: UInt8, _ number: UInt8) {
    while remove(chapterID, number) {}
  }
}
