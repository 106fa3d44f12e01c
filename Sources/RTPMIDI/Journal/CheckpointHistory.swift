import BasicContainers
import MIDI

/// The sender's record of one stream, from which the recovery journals are encoded (RFC 6295 section 4 and appendix
/// A.1). It contains the checkpoint history, which is the commands since the checkpoint, and the counts and toggles
/// since the start of the session.
///
/// For the channel chapters, ``entries`` holds the newest commands of each kind, see ``HistoryEntry``. The entries are
/// ordered by their packets, the oldest first. Therefore the log lists are encoded in order, and acknowledged entries
/// are removed from the front. For the system chapters, ``system`` and ``exclusives`` hold the state. All storage has a
/// fixed size.
///
/// If the receiver does not acknowledge, the oldest entries are discarded, and the checkpoint moves to the packet after them. This
/// happens when ``entries`` or ``parameters`` is full, when the journal does not fit into its packet, and when the checkpoint
/// is 2^14 packets back (``limitSpan(before:)``).
struct CheckpointHistory: ~Copyable {
  /// Whether Chapter C has the enhanced encoding.
  var isEnhanced = false
  /// Whether the history is recorded. If not, only the state since the start of the session is updated.
  private(set) var isRecording = false
  /// The checkpoint: the first packet that the journal covers.
  private(set) var checkpoint: UInt16 = 0
  /// The number of entries that were discarded without an acknowledgement.
  private(set) var discarded: UInt64 = 0
  /// The newest command of each kind on all channels since the checkpoint, the oldest first.
  var entries: RigidArray<HistoryEntry>
  /// The state of the system chapters D, V, Q and F.
  var system = SystemHistory()
  /// The state of Chapter X.
  var exclusives = ExclusiveHistory(logs: 32, octets: 512)
  /// The state of each channel since the start of the session.
  var channels = RigidArray<ChannelHistory>(repeating: ChannelHistory(), count: 16)
  /// The most recently used parameters of all channels. A parameter keeps its index until another one replaces it.
  var parameters = RigidArray<ParameterHistory>(capacity: 32)
  /// The largest value of ``ParameterHistory/lastUse``. Increases with each use of a parameter.
  var newestUse: UInt32 = 0
  /// The reference counts of RFC 6295 appendix A.7, at index 128 * channel + note: the number of Note Ons of the note
  /// without a Note Off.
  var references = RigidArray<UInt8>(repeating: 0, count: 16 * 128)
  /// The number of control changes, modulo 64, at index 128 * channel + controller.
  var controllerCounts = RigidArray<UInt8>(repeating: 0, count: 16 * 128)

  /// - Parameter capacity: the largest number of entries. Values below 1 count as 1.
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

  /// Starts or stops recording with packet `sequence`. A change empties the history.
  @_noLocks @_noAllocation
  mutating func setRecording(_ isRecording: Bool, from sequence: UInt16) {
    guard isRecording != self.isRecording else { return }
    _ = removeEntries(through: sequence &- 1)
    // `removeEntries` keeps a System Exclusive that has not ended.
    exclusives.removeAll()
    self.isRecording = isRecording
  }

  /// Whether guard packets are needed if no packet with a command follows soon: the history contains a command of a
  /// channel, a System Exclusive with data, or a system chapter according to ``SystemHistory/needsGuardPacket``.
  var hasUnacknowledged: Bool {
    @_noLocks @_noAllocation get {
      if !entries.isEmpty { return true }
      return system.needsGuardPacket ? true : exclusives.hasData(since: checkpoint)
    }
  }

  /// Removes the commands of packet `acknowledged` and of the packets before it, because the receiver has acknowledged
  /// them. The call has no effect if packet `acknowledged` was not sent or lies before the checkpoint.
  ///
  /// - Parameter next: the sequence number of the next packet.
  @_noLocks @_noAllocation
  mutating func trim(acknowledged: UInt16, next: UInt16) {
    guard next.isAfter(acknowledged), !checkpoint.isAfter(acknowledged) else { return }
    _ = removeEntries(through: acknowledged)
  }

  /// Discards the oldest part of the history, so that the journal becomes shorter: the oldest eighth of the entries; if
  /// there are none, the oldest System Exclusive; if there are none either, all other system commands.
  ///
  /// - Parameter next: the sequence number of the packet that is being encoded.
  /// - Returns: false if the history was already empty.
  @_noLocks @_noAllocation
  mutating func discardOldest(before next: UInt16) -> Bool {
    if !entries.isEmpty {
      let count = 1 + entries.count / 8
      discard(through: entries[count - 1].packet)
      return true
    }
    if let packet = exclusives.removeFirst() {
      // Counted even if it has no data: without its log, a receiver that lacks the command does not learn of the loss.
      discarded &+= 1
      // A System Exclusive that has not ended can be older than the checkpoint.
      if !checkpoint.isAfter(packet) { discard(through: packet) }
      return true
    }
    guard !system.isEmpty else { return false }
    discard(through: next &- 1)
    return true
  }

  /// Limits the distance from the checkpoint to packet `next` to 2^14 packets. Wrapping 16-bit sequence numbers compare
  /// correctly only if they are less than 2^15 apart. At the limit, the checkpoint moves to 3 * 2^12 packets before
  /// `next`. It therefore moves at most once per 2^12 packets, and not with every packet.
  @_noLocks @_noAllocation
  mutating func limitSpan(before next: UInt16) {
    if next &- checkpoint >= 1 << 14 { discard(through: next &- (3 << 12) &- 1) }
  }

  /// Adds `count` to the number of entries that were discarded without an acknowledgement.
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

  /// Appends `entry` in place of the newest entry of the same kind and number. Does nothing if the history is not
  /// recorded.
  @_noLocks @_noAllocation
  mutating func update(_ entry: HistoryEntry) {
    guard isRecording else { return }
    removeNewest(entry.chapterID, number: entry.number)
    append(entry)
  }

  /// Appends `entry` as the newest one. If there is no room, discards the oldest entry first.
  @_noLocks @_noAllocation
  mutating func append(_ entry: HistoryEntry) {
    if entries.freeCapacity == 0 { discard(through: entries[0].packet) }
    entries.append(entry)
  }

  /// Removes the newest entry of this kind and number. Returns false if there is none.
  @_noLocks @_noAllocation
  @discardableResult
  mutating func removeNewest(_ chapterID: UInt8, number: UInt8) -> Bool {
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

  /// Removes all entries of this kind and number. With the enhanced encoding of Chapter C, a controller can have
  /// several.
  @_noLocks @_noAllocation
  mutating func removeAll(_ chapterID: UInt8, number: UInt8) {
    while removeNewest(chapterID, number: number) {}
  }
}

/// The bank, the selected parameter and the toggle counts of the pedals of one channel, as the stream has sent them.
///
/// Some chapters of the recovery journal depend on these values, even if the commands that set them were sent before the
/// checkpoint.
struct ChannelHistory: BitwiseCopyable {
  /// Controllers 0 and 32; nil if neither has been sent.
  var bank: ChapterP.Bank?
  /// The parameter that controllers 6, 38, 96 and 97 act on.
  var selection = ParameterSelection()
  /// For each of controllers 64...69, the number of changes between off (below 64) and on, modulo 64. Odd while on.
  private var toggles = InlineArray<6, UInt8>(repeating: 0)

  /// Records the new value of `controller`.
  ///
  /// - Returns: the toggle count of the controller; 0 if the controller is not one of 64...69.
  @_noLocks @_noAllocation
  mutating func toggle(_ controller: UInt8, _ value: UInt7) -> UInt8 {
    guard controller >= 64, controller <= 69 else { return 0 }
    let index = Int(controller) - 64
    if (toggles[index] & 1 == 1) != (value.value >= 64) { toggles[index] = (toggles[index] + 1) & 63 }
    return toggles[index]
  }

  /// Records Reset All Controllers: pedals 64...67 are off, and no parameter is selected (RP-015).
  @_noLocks @_noAllocation
  mutating func resetControllers() {
    bank?.isBeforeReset = true
    selection = ParameterSelection()
    for pedal: UInt8 in 64...67 { _ = toggle(pedal, 0) }
  }

  /// Records System Reset.
  @_noLocks @_noAllocation
  mutating func reset() {
    resetControllers()
    for pedal: UInt8 in 68...69 { _ = toggle(pedal, 0) }
    bank = nil
  }
}
