import MIDI

// The system journal.
extension JournalRepair {
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterD, _ state: inout ReceivedState) {
    if let log = chapter.resets, log.value.value != state.resets {
      give(.reset, &state)
      state.resets = log.value.value
    }
    if let log = chapter.tuneRequests, log.value.value != state.tuneRequests {
      give(.tuneRequest, &state)
      state.tuneRequests = log.value.value
    }
    if let log = chapter.song, log.value.value != state.song { give(.songSelect(log.value), &state) }
  }

  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterV, _ state: inout ReceivedState) {
    guard chapter.count.value != state.activeSensings else { return }
    give(.activeSensing, &state)
    state.activeSensings = chapter.count.value
  }

  /// Chapter Q tells where the sender's sequencer stands, and the own one is brought there as by hand. Up to four
  /// quarter notes ahead in the same direction, the Clocks between are given, all at once: who counts ticks is right
  /// again, as if none had been lost. Otherwise it is stopped and put there: near the song's start by Start, else by the
  /// Song Position before and Continue, and by the Clocks from there on. Start, Stop, Continue or Song Position lost by
  /// themselves come out of the same rules. Song Position has 14 bits: beyond, it is sent modulo 16384, which is 1024
  /// bars of 4/4.
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterQ, _ state: inout ReceivedState) {
    let told = SequencerState(chapter)
    let ahead = state.sequencer.clocks(to: told)
    let next = Int(told.next)
    let isNear = ahead >= 0 && ahead <= 96
    if state.sequencer.isRunning, isNear {
      give(.clock, times: ahead, &state)
      if !told.isRunning { give(.stop, &state) }
    } else if !state.sequencer.isRunning, !told.isRunning, ahead == 0 {
      // It stands there.
    } else {
      if state.sequencer.isRunning { give(.stop, &state) }
      let goesOn = isNear && state.sequencer.next > 0
      if told.isRunning, goesOn {
        give(.continue, &state)
        give(.clock, times: ahead, &state)
      } else if told.isRunning, next <= 24 {
        give(.start, &state)
        give(.clock, times: next, &state)
      } else {
        give(.songPosition(UInt14(clamping: next / 6 % 16384)), &state)
        if told.isRunning || next % 6 > 0 {
          give(.continue, &state)
          give(.clock, times: next % 6, &state)
          if !told.isRunning { give(.stop, &state) }
        }
      }
    }
    state.sequencer = told
  }

  /// Quarter frames that complete the times that the sender has told. One told by a Full Frame message is left to the
  /// next.
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterF, _ state: inout ReceivedState) {
    if chapter.isQuarterFrames, let complete = chapter.complete {
      var isKnown = false
      if let known = state.timeCode.complete { isKnown = known == complete }
      if !isKnown { tell(complete, count: 8, isBackwards: chapter.isBackwards, &state) }
    }
    guard let partial = chapter.partial else { return }
    let point = Int(chapter.point)
    tell(partial, count: (chapter.isBackwards ? 7 - point : point) + 1, isBackwards: chapter.isBackwards, &state)
  }

  /// Gives the first `count` quarter frames of a time, those left out that have come already.
  @_noLocks @_noAllocation
  private mutating func tell(_ nibbles: UInt32, count: Int, isBackwards: Bool, _ state: inout ReceivedState) {
    let known = state.timeCode
    var first = 0
    if known.isBackwards == isBackwards, known.count <= count, known.matches(nibbles) { first = known.count }
    while first < count {
      give(.quarterFrame(TimeCodeState.frame(first, of: nibbles, isBackwards: isBackwards)), &state)
      first += 1
    }
  }

  /// A log of Chapter X tells the number of a System Exclusive, whether it has ended, and its data so far, if they are
  /// not too long. One that has been begun here or is new is made what the log says: whole, open, or gone. Returns
  /// whether it is whole.
  @_noLocks @_noAllocation
  mutating func repair(
    _ log: ExclusiveLog, in packet: borrowing Span<UInt8>, _ state: inout ReceivedState,
    _ assembly: inout SystemExclusiveAssembly
  ) -> Bool {
    guard let count = log.count else { return false }
    if countsExclusivesAnew { (state.exclusives, countsExclusivesAnew) = (count &- 1, false) }
    let ahead = Int8(bitPattern: count &- state.exclusives)
    guard ahead > 0 || ahead == 0 && assembly.isUnfinished else { return false }
    state.exclusives = count
    let isFromStart = if let first = log.first { first == 0 } else { true }
    switch log.status {
    case .cancelled:
      assembly.cancel()
      return false
    case .open:
      _ = assembly.replace(with: isFromStart ? log.data : nil, in: packet, isWhole: false)
      return false
    case .droppedF7, .finished:
      return assembly.replace(with: isFromStart ? log.data : nil, in: packet, isWhole: true)
    }
  }
}
