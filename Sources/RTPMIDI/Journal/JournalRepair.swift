import MIDI

/// Recovers lost commands from the journal of the packet that reveals the loss (RFC 6295 section 4).
///
/// The journal contains the newest active state of all commands since its checkpoint. Each log is compared with the
/// received state. If they differ, the repair emits the messages that turn the received state into the state of the log:
/// first those of the system journal, then those of each channel journal, in the order of the journal. These messages
/// precede the commands of the packet. A lost command that a later command has made inactive is not recovered.
///
/// If the checkpoint lies after the first lost packet, the journal does not cover the loss. The lost packets before the
/// checkpoint may contain the Note Off of any note that sounds here and is not in the journal as a note that is on. The
/// repair ends such notes, because silence is less harmful than a hanging note.
struct JournalRepair: BitwiseCopyable {
  enum Event: BitwiseCopyable {
    /// A recovered message.
    case message(Message)
    /// The assembly holds a complete System Exclusive.
    case systemExclusive
  }

  private var cursor: JournalCursor?
  /// Whether only the previous packet is missing. Logs with S = 1 then contain nothing new.
  private var isSinglePacketLoss = false
  /// Whether the journal covers all lost packets.
  private var coversLoss = true
  /// Whether the next System Exclusive log sets the count of received commands. True after a loss that the journal does
  /// not cover: all System Exclusives in such a journal were sent after those that were received.
  var restartsExclusiveCount = false
  private var queue = RepairQueue()
  /// The notes that are on according to the journal, one bit for each key of a channel. Used only if the journal does
  /// not cover the loss.
  private var confirmed = InlineArray<16, UInt128>(repeating: 0)
  /// The next note to examine after the end of the journal: 128 * channel + key.
  private var noteIndex = 0
  /// The number of messages that the repair has emitted so far.
  private var emitted = 0

  /// The maximum number of messages from one journal, without the All Notes Off of ``endNextUnconfirmedNote(_:)``. A
  /// limit is needed because one or two octets of a journal can cause thousands of messages. Differences beyond the
  /// limit are not repaired.
  private static var messageLimit: Int { @_noLocks @_noAllocation get { 4096 } }

  @_noLocks @_noAllocation
  init() {}

  /// Starts the repair from a journal that is known to be well formed.
  ///
  /// - Parameters:
  ///   - cursor: the position before the first log of the journal.
  ///   - isSinglePacketLoss: whether only the previous packet is missing.
  ///   - coversLoss: whether the journal covers all lost packets.
  @_noLocks @_noAllocation
  mutating func begin(_ cursor: JournalCursor, isSinglePacketLoss: Bool, coversLoss: Bool) {
    self.cursor = cursor
    // If the journal does not cover the loss, no log is skipped because of its S bit: `confirmed` needs all note logs.
    (self.isSinglePacketLoss, self.coversLoss) = (coversLoss ? isSinglePacketLoss : false, coversLoss)
    restartsExclusiveCount = !coversLoss
    queue.removeAll()
    (noteIndex, emitted) = (0, 0)
    confirmed = InlineArray(repeating: 0)
  }

  /// Discards the rest of the repair.
  @_noLocks @_noAllocation
  mutating func discard() {
    cursor = nil
    queue.removeAll()
  }

  /// Returns the next recovered message or System Exclusive, after updating `state` or `assembly`; nil at the end of the
  /// repair.
  @_noLocks @_noAllocation
  mutating func next(
    in packet: borrowing Span<UInt8>, state: inout ReceivedState, assembly: inout SystemExclusiveAssembly
  ) -> Event? {
    while true {
      if let message = queue.removeFirst() { return .message(message) }
      guard var cursor else { return nil }
      // The receiver has checked the whole journal before the repair, so the cursor finds no error.
      guard let log = try? cursor.next(in: packet) else {
        if endNextUnconfirmedNote(&state) { continue }
        self.cursor = nil
        return nil
      }
      self.cursor = cursor
      if isSinglePacketLoss, cursor.sBit { continue }
      if emitted >= Self.messageLimit { continue }
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
    case .activeSensing(let count):
      // One message repairs any number of lost commands.
      if count.value != state.activeSensings { emit(.activeSensing, &state) }
      state.activeSensings = count.value
    case .sequencer(let chapter): repair(chapter, &state)
    case .timeCode(let chapter): repair(chapter, &state)
    case .systemExclusive(let log): return repair(log, in: packet, &state, &assembly)
    case .program(let channel, let chapter): repair(chapter, on: channel, &state)
    case .controller(let channel, let log, let later): repair(log, on: channel, later: later, in: packet, &state)
    case .parameter(let channel, let log): repair(log, on: channel, &state)
    case .selection(let channel, let chapter, let last): repair(chapter, last: last, on: channel, &state)
    case .wheel(let channel, let bend):
      if state.channels[Int(channel.wire)].wheel != bend.value { emit(.pitchBend(channel, bend), &state) }
    case .note(let channel, let log, let extras): repair(log, on: channel, extras: extras, in: packet, &state)
    case .noteOff(let channel, let key, let extras): repairNoteOff(key, on: channel, extras: extras, in: packet, &state)
    case .channelPressure(let channel, let pressure):
      if state.channels[Int(channel.wire)].pressure != pressure.value {
        emit(.channelPressure(channel, pressure: pressure), &state)
      }
    case .polyphonicPressure(let channel, let log):
      // A pressure that was sent before a reset (the flag X) needs no repair.
      if !log.flag, state.channels[Int(channel.wire)].pressures[Int(log.number.value)] != log.value.value {
        emit(.polyphonicPressure(channel, key: log.number, pressure: log.value), &state)
      }
    }
    return false
  }

  /// Queues `message` for delivery, and applies it to `state`: `requested` times, or until the repair has emitted
  /// ``messageLimit`` messages.
  @_noLocks @_noAllocation
  mutating func emit(_ message: Message, times requested: Int = 1, _ state: inout ReceivedState) {
    let count = min(requested, Self.messageLimit - emitted)
    guard count > 0 else { return }
    queue.append(message, count: count)
    emitted += count
    for _ in 0..<count { state.apply(message) }
  }

  /// Marks a note as one that is on at the sender.
  @_noLocks @_noAllocation
  mutating func confirm(_ key: UInt7, on channel: Channel) {
    confirmed[Int(channel.wire)] |= UInt128(1) << UInt128(key.value)
  }

  /// Ends the next note that is on here and that the journal did not confirm. Does nothing if the journal covers the
  /// loss. Beyond ``messageLimit``, one All Notes Off ends all notes of the channel, so at most 16 messages follow.
  ///
  /// - Returns: whether a note was ended. If not, there are no more such notes.
  @_noLocks @_noAllocation
  private mutating func endNextUnconfirmedNote(_ state: inout ReceivedState) -> Bool {
    if coversLoss { return false }
    while noteIndex < 16 * 128 {
      let (index, key) = (noteIndex / 128, noteIndex % 128)
      noteIndex += 1
      let references = Int(state.channels[index].references[key])
      if references > 0, confirmed[index] >> UInt128(UInt8(truncatingIfNeeded: key)) & 1 == 0 {
        let channel = Channel(wire: UInt8(truncatingIfNeeded: index))
        if emitted + references > Self.messageLimit {
          // The sender has not sent this message, so its count in Chapter C stays as it was.
          let count = state.channels[index].counts[123 - 120]
          queue.append(.controlChange(channel, controller: 123, value: 0), count: 1)
          state.apply(.controlChange(channel, controller: 123, value: 0))
          state.channels[index].counts[123 - 120] = count
          noteIndex = (index + 1) * 128
          return true
        }
        emit(
          .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key)), velocity: 64), times: references,
          &state)
        return true
      }
    }
    return false
  }
}

/// The messages that the repair of one log of the recovery journal emits, in order. They are stored as runs of equal
/// messages. The longest repair has sixteen runs: the eight quarter frames of each of two times of MIDI Time Code.
struct RepairQueue: BitwiseCopyable {
  /// A message that is delivered `count` times.
  private struct Run: BitwiseCopyable {
    var message: Message
    var count: Int
  }

  private var runs = InlineArray<16, Run>(repeating: Run(message: .clock, count: 0))
  /// The index of the first run.
  private var head = 0
  /// The index after the last run.
  private var tail = 0

  @_noLocks @_noAllocation
  mutating func removeAll() { (head, tail) = (0, 0) }

  /// Appends `message`, to be returned `count` times.
  @_noLocks @_noAllocation
  mutating func append(_ message: Message, count: Int) {
    // No repair has more than 16 runs, so the limit drops nothing.
    guard count > 0, tail < 16 else { return }
    runs[tail] = Run(message: message, count: count)
    tail += 1
  }

  /// Removes and returns the first message; nil if the queue is empty.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> Message? {
    guard head < tail else { return nil }
    let message = runs[head].message
    runs[head].count -= 1
    if runs[head].count == 0 { head += 1 }
    if head == tail { (head, tail) = (0, 0) }
    return message
  }
}
