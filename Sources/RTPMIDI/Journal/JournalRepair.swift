import MIDI

/// Makes good what has been lost, from the journal of the packet that shows the loss (RFC 6295 section 4).
///
/// The journal tells the newest active state of all that was said from its checkpoint on. Each log is compared with what
/// has been received, and where the two differ it is turned into the messages that make them equal: first the system's,
/// then each channel's, in the journal's own order. They are given out before the packet's commands. A command lost
/// that another has made ineffective is not given back. Where the checkpoint lies behind the first packet lost, the
/// journal is not enough, and a note that it does not confirm may have ended unheard: it is ended, for silence heals.
struct JournalRepair: BitwiseCopyable {
  enum Event: BitwiseCopyable {
    case message(Message)
    /// The assembly holds a whole one.
    case systemExclusive
  }

  private var cursor: JournalCursor?
  /// Nothing but the packet before is missing: logs with S set tell nothing new.
  private var isSingle = false
  private var isCovered = true
  /// The first System Exclusive that the journal tells of is the next: all that it tells of is later than what was heard.
  var countsExclusivesAnew = false
  private var queue = RepairQueue()
  /// The notes that the journal confirms, a bit for each key of a channel; only of interest when not covered.
  private var confirmed = InlineArray<16, UInt128>(repeating: 0)
  /// The next note to look at once the journal is read: 128 a channel.
  private var note = 0
  private var given = 0

  /// When a packet has given so many messages, the rest of its journal is passed over: an octet or two of it can call
  /// for a hundred.
  private static var limit: Int { @_noLocks @_noAllocation get { 4096 } }

  @_noLocks @_noAllocation
  init() {}

  /// Begins with a journal that is known to be well formed.
  @_noLocks @_noAllocation
  mutating func begin(_ cursor: JournalCursor, isSingle: Bool, isCovered: Bool) {
    self.cursor = cursor
    (self.isSingle, self.isCovered) = (isCovered ? isSingle : false, isCovered)
    countsExclusivesAnew = !isCovered
    queue.removeAll()
    (note, given) = (0, 0)
    confirmed = InlineArray(repeating: 0)
  }

  /// Forgets what is left.
  @_noLocks @_noAllocation
  mutating func end() {
    cursor = nil
    queue.removeAll()
  }

  /// The next thing to give out, of which `state` has taken note; nil when all is repaired.
  @_noLocks @_noAllocation
  mutating func next(
    in packet: borrowing Span<UInt8>, state: inout ReceivedState, assembly: inout SystemExclusiveAssembly
  ) -> Event? {
    while true {
      if let message = queue.removeFirst() { return .message(message) }
      guard var cursor else { return nil }
      // It has been walked to its end before.
      guard let log = try? cursor.next(in: packet) else {
        if endUnconfirmedNote(&state) { continue }
        self.cursor = nil
        return nil
      }
      self.cursor = cursor
      if isSingle, cursor.isOld { continue }
      if given >= Self.limit { continue }
      if repair(log, in: packet, &state, &assembly) { return .systemExclusive }
    }
  }

  /// Returns whether a System Exclusive is complete.
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
        give(.pitchBend(channel, chapter.bend), &state)
      }
    case .note(let channel, let log, let extras): repair(log, channel, extras: extras, in: packet, &state)
    case .noteOff(let channel, let key, let extras): endNote(key, channel, extras: extras, in: packet, &state)
    case .channelPressure(let channel, let chapter):
      if state.channels[Int(channel.wire)].pressure != chapter.pressure.value {
        give(.channelPressure(channel, pressure: chapter.pressure), &state)
      }
    case .polyphonicPressure(let channel, let log):
      // What a reset has put back needs no repair.
      if !log.isBeforeReset, state.channels[Int(channel.wire)].pressures[Int(log.key.value)] != log.pressure.value {
        give(.polyphonicPressure(channel, key: log.key, pressure: log.pressure), &state)
      }
    }
    return false
  }

  @_noLocks @_noAllocation
  mutating func give(_ message: Message, times count: Int = 1, _ state: inout ReceivedState) {
    queue.append(message, count: count)
    given += count
    var index = 0
    while index < count {
      state.apply(message)
      index += 1
    }
  }

  /// Notes that the journal says are held.
  @_noLocks @_noAllocation
  mutating func confirm(_ key: UInt7, _ channel: Channel) {
    confirmed[Int(channel.wire)] |= UInt128(1) << UInt128(key.value)
  }

  /// Ends the next note that is held and not confirmed, if the journal was not enough. Returns whether there was one.
  @_noLocks @_noAllocation
  private mutating func endUnconfirmedNote(_ state: inout ReceivedState) -> Bool {
    if isCovered { return false }
    while note < 16 * 128 {
      let (index, key) = (note / 128, note % 128)
      note += 1
      let references = Int(state.channels[index].references[key])
      if references > 0, confirmed[index] >> UInt128(UInt8(truncatingIfNeeded: key)) & 1 == 0 {
        let channel = Channel(wire: UInt8(truncatingIfNeeded: index))
        give(
          .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key)), velocity: 64), times: references,
          &state)
        return true
      }
    }
    return false
  }
}
