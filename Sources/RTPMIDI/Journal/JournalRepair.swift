import MIDI

/// Recovers lost commands from the journal of the packet that reveals the loss (RFC 6295 section 4).
///
/// The journal contains the newest active state of all commands since its checkpoint. Each log is compared with the
/// received state. If they differ, the repair emits the messages that make them equal: first those of the system
/// journal, then those of each channel journal, in the order of the journal. The messages precede the commands of the
/// packet. A lost command that a later command has made inactive is not recovered. If the checkpoint lies after the
/// first lost packet, the journal does not cover the loss: the Note Off of a note that the journal does not
/// confirm may be lost too. Such notes are ended, because silence is less harmful than a hanging note.
struct JournalRepair: BitwiseCopyable {
  enum Event: BitwiseCopyable {
    case message(Message)
    /// The assembly holds a complete System Exclusive.
    case systemExclusive
  }

  private var cursor: JournalCursor?
  /// Whether only the previous packet is missing: logs with S = 1 then contain nothing new.
  private var isSingle = false
  /// Whether the journal covers the loss.
  private var isCovered = true
  /// Whether the next System Exclusive log sets the count: the journal describes only commands after those received.
  var restartsExclusiveCount = false
  private var queue = RepairQueue()
  /// The notes that the journal confirms, one bit for each key of a channel; used only if the journal does not cover
  /// the loss.
  private var confirmed = InlineArray<16, UInt128>(repeating: 0)
  /// The next note to examine after the journal: 128 for each channel.
  private var noteIndex = 0
  private var emitted = 0

  /// The largest number of messages that the journal of one packet can emit; the rest of the journal is ignored. One or
  /// two octets of a journal can cause a hundred messages.
  private static var limit: Int { @_noLocks @_noAllocation get { 4096 } }

  @_noLocks @_noAllocation
  init() {}

  /// Starts the repair from a journal that is known to be well formed.
  @_noLocks @_noAllocation
  mutating func begin(_ cursor: JournalCursor, isSingle: Bool, isCovered: Bool) {
    self.cursor = cursor
    (self.isSingle, self.isCovered) = (isCovered ? isSingle : false, isCovered)
    restartsExclusiveCount = !isCovered
    queue.removeAll()
    (noteIndex, emitted) = (0, 0)
    confirmed = InlineArray(repeating: 0)
  }

  /// Discards the rest of the repair.
  @_noLocks @_noAllocation
  mutating func end() {
    cursor = nil
    queue.removeAll()
  }

  /// Returns the next recovered message, after updating `state`; nil at the end of the repair.
  @_noLocks @_noAllocation
  mutating func next(
    in packet: borrowing Span<UInt8>, state: inout ReceivedState, assembly: inout SystemExclusiveAssembly
  ) -> Event? {
    while true {
      if let message = queue.removeFirst() { return .message(message) }
      guard var cursor else { return nil }
      // The journal was checked before, so it has no errors.
      guard let log = try? cursor.next(in: packet) else {
        if endUnconfirmedNote(&state) { continue }
        self.cursor = nil
        return nil
      }
      self.cursor = cursor
      if isSingle, cursor.sBit { continue }
      if emitted >= Self.limit { continue }
      if repair(log, in: packet, &state, &assembly) { return .systemExclusive }
    }
  }

  /// Repairs the state from one log. Returns whether the assembly holds a complete System Exclusive.
  @_noLocks @_noAllocation
  private mutating func repair(
    _ log: JournalLog, in packet: borrowing Span<UInt8>, _ state: inout ReceivedState,
    _ assembly: inout SystemExclusiveAssembly
  ) -> Bool {
    switch log {
    case .simpleCommands(let chapter): repair(chapter, &state)
    case .activeSensing(let chapter): repair(chapter, &state)
    case .sequencer(let chapter): repair(chapter, &state)
    case .timeCode(let chapter): repair(chapter, &state)
    case .systemExclusive(let log): return repair(log, in: packet, &state, &assembly)
    case .program(let channel, let chapter): repair(chapter, channel, &state)
    case .controller(let channel, let log, let later): repair(log, channel, later: later, in: packet, &state)
    case .parameter(let channel, let log): repair(log, channel, &state)
    case .selection(let channel, let chapter, let last): repair(chapter, last: last, channel, &state)
    case .wheel(let channel, let chapter):
      if state.channels[Int(channel.wire)].wheel != chapter.bend.value {
        emit(.pitchBend(channel, chapter.bend), &state)
      }
    case .note(let channel, let log, let extras): repair(log, channel, extras: extras, in: packet, &state)
    case .noteOff(let channel, let key, let extras): endNote(key, channel, extras: extras, in: packet, &state)
    case .channelPressure(let channel, let chapter):
      if state.channels[Int(channel.wire)].pressure != chapter.pressure.value {
        emit(.channelPressure(channel, pressure: chapter.pressure), &state)
      }
    case .polyphonicPressure(let channel, let log):
      // A value before Reset All Controllers needs no repair.
      if !log.isBeforeReset, state.channels[Int(channel.wire)].pressures[Int(log.key.value)] != log.pressure.value {
        emit(.polyphonicPressure(channel, key: log.key, pressure: log.pressure), &state)
      }
    }
    return false
  }

  @_noLocks @_noAllocation
  mutating func emit(_ message: Message, times count: Int = 1, _ state: inout ReceivedState) {
    queue.append(message, count: count)
    emitted += count
    var index = 0
    while index < count {
      state.apply(message)
      index += 1
    }
  }

  /// Marks a note as held at the sender.
  @_noLocks @_noAllocation
  mutating func confirm(_ key: UInt7, _ channel: Channel) {
    confirmed[Int(channel.wire)] |= UInt128(1) << UInt128(key.value)
  }

  /// Ends the next note that is on and not confirmed, if the journal does not cover the loss. Returns whether there was
  /// one.
  @_noLocks @_noAllocation
  private mutating func endUnconfirmedNote(_ state: inout ReceivedState) -> Bool {
    if isCovered { return false }
    while noteIndex < 16 * 128 {
      let (index, key) = (noteIndex / 128, noteIndex % 128)
      noteIndex += 1
      let references = Int(state.channels[index].references[key])
      if references > 0, confirmed[index] >> UInt128(UInt8(truncatingIfNeeded: key)) & 1 == 0 {
        let channel = Channel(wire: UInt8(truncatingIfNeeded: index))
        emit(
          .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key)), velocity: 64), times: references,
          &state)
        return true
      }
    }
    return false
  }
}
