import MIDI

// Repair from the system journal.
extension JournalRepair {
  /// Repairs Reset, Tune Request and Song Select from Chapter D. One message repairs any number of lost Resets, and one any
  /// number of lost Tune Requests.
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterD, _ state: inout ReceivedState) {
    if let log = chapter.resets, log.value.value != state.resets {
      emit(.reset, &state)
      state.resets = log.value.value
    }
    if let log = chapter.tuneRequests, log.value.value != state.tuneRequests {
      emit(.tuneRequest, &state)
      state.tuneRequests = log.value.value
    }
    if let log = chapter.song, log.value.value != state.song { emit(.songSelect(log.value), &state) }
  }

  /// Repairs the sequencer from Chapter Q by standard commands.
  ///
  /// The received sequencer (``ReceivedState/sequencer``) is compared with the sender's sequencer. The sender's position is
  /// *near* if it equals the received position, or is up to four quarter notes (96 Clocks) ahead of it. The first case that
  /// applies determines the messages:
  ///
  /// - The received sequencer runs, and the sender's position is near: the missing Clocks, all at once. A receiver that
  ///   counts ticks has then lost none.
  /// - Both sequencers are stopped at the same position: no message.
  /// - Only the sender's sequencer runs, its position is near, and the received position is not the start of the song:
  ///   Continue and the missing Clocks.
  /// - The sender's sequencer runs within the first quarter note (24 Clocks) of the song: Start, and the Clocks up to the
  ///   sender's position.
  /// - All other cases: Song Position in sixteenth notes (6 Clocks). If the sender's sequencer runs, or its position is
  ///   between two sixteenth notes, Continue and the remaining Clocks follow.
  ///
  /// In the last two cases, Stop precedes the other messages if the received sequencer runs. In all cases, Stop is the
  /// last message if the sender's sequencer is stopped and the received one still runs.
  ///
  /// The same rules repair a lost Start, Stop, Continue or Song Position. Song Position has 14 bits. Larger positions are
  /// emitted modulo 16384, which is 1024 bars of 4/4.
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterQ, _ state: inout ReceivedState) {
    let target = SequencerState(chapter)
    // The number of Clocks by which the sender is ahead of the received state; negative if it is behind.
    let ahead = state.sequencer.clocks(to: target)
    // The sender's position, in Clocks from the start of the song.
    let next = Int(target.next)
    let isNear = ahead >= 0 && ahead <= 96
    if state.sequencer.isRunning, isNear {
      emit(.clock, times: ahead, &state)
      if !target.isRunning { emit(.stop, &state) }
    } else if !state.sequencer.isRunning, !target.isRunning, ahead == 0 {
      // Nothing differs.
    } else {
      if state.sequencer.isRunning { emit(.stop, &state) }
      let canContinue = isNear && state.sequencer.next > 0
      if target.isRunning, canContinue {
        emit(.continue, &state)
        emit(.clock, times: ahead, &state)
      } else if target.isRunning, next <= 24 {
        emit(.start, &state)
        emit(.clock, times: next, &state)
      } else {
        emit(.songPosition(UInt14(clamping: next / 6 % 16384)), &state)
        if target.isRunning || next % 6 > 0 {
          emit(.continue, &state)
          emit(.clock, times: next % 6, &state)
          if !target.isRunning { emit(.stop, &state) }
        }
      }
    }
    // The emitted messages may have led to another position, because Song Position is emitted modulo 16384.
    state.sequencer = target
  }

  /// Repairs MIDI Time Code from Chapter F by the quarter frames that were not received: those of the newest complete
  /// time, then those of the incomplete time. A time from a Full Frame message is not repaired, because the next time
  /// replaces it.
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterF, _ state: inout ReceivedState) {
    if chapter.isQuarterFrames, let complete = chapter.complete {
      var isKnown = false
      if let known = state.timeCode.complete { isKnown = known == complete }
      if !isKnown { emitQuarterFrames(complete, count: 8, isBackwards: chapter.isBackwards, &state) }
    }
    guard let partial = chapter.partial else { return }
    // The quarter frames were sent from 0 up to `point`, or from 7 down to `point`.
    let point = Int(chapter.point)
    emitQuarterFrames(
      partial, count: (chapter.isBackwards ? 7 - point : point) + 1, isBackwards: chapter.isBackwards, &state)
  }

  /// Emits the first `count` quarter frames of the time with these nibbles, except those that were already received.
  @_noLocks @_noAllocation
  private mutating func emitQuarterFrames(
    _ nibbles: UInt32, count: Int, isBackwards: Bool, _ state: inout ReceivedState
  ) {
    let known = state.timeCode
    // The first quarter frame that was not received, in the order of sending.
    var first = 0
    if known.isBackwards == isBackwards, known.count <= count, known.matches(nibbles) { first = known.count }
    while first < count {
      emit(.quarterFrame(TimeCodeState.frame(first, of: nibbles, isBackwards: isBackwards)), &state)
      first += 1
    }
  }

  /// Repairs a System Exclusive from a log of Chapter X. The log contains the number of the command, its status, and
  /// the data so far if they are not too long. If the command was not received, or was received in part, the assembly
  /// gets the state of the log: complete, open, or cancelled. If the log lacks the data or their beginning, the command is
  /// dropped. A log without the number of the command is ignored.
  ///
  /// - Returns: whether the assembly now holds the complete command.
  @_noLocks @_noAllocation
  mutating func repair(
    _ log: ExclusiveLog, in packet: borrowing Span<UInt8>, _ state: inout ReceivedState,
    _ assembly: inout SystemExclusiveAssembly
  ) -> Bool {
    guard let count = log.count else { return false }
    // If the journal does not cover the loss, the first log sets the count, and its command counts as not received.
    if restartsExclusiveCount { (state.exclusives, restartsExclusiveCount) = (count &- 1, false) }
    // The number of commands from the newest received command to the command of the log, -128...127.
    let ahead = Int8(bitPattern: count &- state.exclusives)
    guard ahead > 0 || ahead == 0 && assembly.isUnfinished else { return false }
    state.exclusives = count
    // Whether the data in the log begin with the first octet of the command.
    let isFromStart = if let first = log.first { first == 0 } else { true }
    switch log.status {
    case .cancelled:
      assembly.cancel()
      return false
    case .open:
      _ = assembly.replace(with: isFromStart ? log.data : nil, in: packet, isComplete: false)
      return false
    case .droppedF7, .finished:
      return assembly.replace(with: isFromStart ? log.data : nil, in: packet, isComplete: true)
    }
  }
}
