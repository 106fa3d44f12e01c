import BasicContainers
import MIDI

/// The newest state of the system chapters D, V, Q and F of a stream. Chapter X is in ``ExclusiveHistory``.
struct SystemHistory: BitwiseCopyable {
  /// The state of the sequencer as the stream has sent it.
  private var sequencer = SequencerState()
  private var timeCode = TimeCodeState()
  // The numbers of commands since the start of the session, modulo 128.
  private var resets: UInt8 = 0
  private var tuneRequests: UInt8 = 0
  private var activeSensings: UInt8 = 0
  /// The newest selected song.
  private var song: UInt7 = 0
  /// The newest packet with a command of Chapter Q, except a Clock while the sequencer was stopped.
  private var lastSequencer = LastSent()
  /// The newest packet with a quarter frame of a time. A quarter frame belongs to no time if it is out of order, or if
  /// an earlier quarter frame of the time is missing.
  private var lastTimeCode = LastSent()
  private var lastReset = LastSent()
  private var lastTuneRequest = LastSent()
  private var lastSong = LastSent()
  private var lastSensing = LastSent()

  @_noLocks @_noAllocation
  init() {}

  // hasD, hasV, hasQ, hasF: whether the history contains commands of Chapter D, V, Q or F.

  var hasD: Bool {
    @_noLocks @_noAllocation get {
      if lastReset.isInHistory { return true }
      return lastTuneRequest.isInHistory ? true : lastSong.isInHistory
    }
  }
  var hasV: Bool { @_noLocks @_noAllocation get { lastSensing.isInHistory } }
  var hasQ: Bool { @_noLocks @_noAllocation get { lastSequencer.isInHistory } }
  var hasF: Bool { @_noLocks @_noAllocation get { lastTimeCode.isInHistory } }

  /// Whether the history contains no command of these chapters.
  var isEmpty: Bool {
    @_noLocks @_noAllocation get {
      if hasQ { return false }
      if hasD { return false }
      return hasV ? false : !hasF
    }
  }

  /// Whether these chapters need a guard packet if no packet with a command follows soon.
  ///
  /// The journal of each packet contains these chapters.
  ///
  /// - Chapter Q of a running sequencer needs no guard packet. The sequencer sends Clocks regularly, and the journal in the
  ///   packet of each Clock contains Chapter Q. If this chapter needed guard packets, one would follow each Clock at a
  ///   slow tempo.
  /// - Chapter Q of a stopped sequencer needs a guard packet, because the sequencer may send nothing for a long time.
  /// - Chapters D, V and F always need a guard packet, because it is unknown whether another packet follows their
  ///   commands. While the sequencer runs, the packet of the next Clock also repairs a loss. At a slow tempo, a guard
  ///   packet repairs the loss sooner.
  var needsGuardPacket: Bool {
    @_noLocks @_noAllocation get {
      if hasQ, !sequencer.isRunning { return true }
      if hasD { return true }
      return hasV ? true : hasF
    }
  }

  /// Whether packet `last` contains a command of these chapters.
  @_noLocks @_noAllocation
  func isUpdated(by last: UInt16) -> Bool {
    if lastSequencer.wasSent(in: last) { return true }
    if chapterDIsUpdated(by: last) { return true }
    return lastSensing.wasSent(in: last) ? true : lastTimeCode.wasSent(in: last)
  }

  @_noLocks @_noAllocation
  private func chapterDIsUpdated(by last: UInt16) -> Bool {
    if lastReset.wasSent(in: last) { return true }
    return lastTuneRequest.wasSent(in: last) ? true : lastSong.wasSent(in: last)
  }

  /// Records a system message other than Reset.
  @_noLocks @_noAllocation
  mutating func record(_ message: Message, _ packet: UInt16, if isRecording: Bool) {
    switch message {
    case .start, .continue, .stop, .songPosition: recordSequencer(message, packet, if: isRecording)
    // A Clock while the sequencer is stopped has no effect.
    case .clock: if sequencer.isRunning { recordSequencer(message, packet, if: isRecording) }
    case .quarterFrame(let data): if timeCode.apply(data) { lastTimeCode.mark(packet, if: isRecording) }
    case .songSelect(let number):
      song = number
      lastSong.mark(packet, if: isRecording)
    case .tuneRequest:
      tuneRequests = (tuneRequests + 1) & 0x7F
      lastTuneRequest.mark(packet, if: isRecording)
    case .activeSensing:
      activeSensings = (activeSensings + 1) & 0x7F
      lastSensing.mark(packet, if: isRecording)
    default: break
    }
  }

  @_noLocks @_noAllocation
  private mutating func recordSequencer(_ message: Message, _ packet: UInt16, if isRecording: Bool) {
    sequencer.apply(message)
    lastSequencer.mark(packet, if: isRecording)
  }

  /// Records a Reset, which makes all earlier commands inactive. The counts continue.
  @_noLocks @_noAllocation
  mutating func reset(_ packet: UInt16, if isRecording: Bool) {
    (sequencer, timeCode) = (SequencerState(), TimeCodeState())
    lastSequencer.clear()
    lastTimeCode.clear()
    resets = (resets + 1) & 0x7F
    lastReset.mark(packet, if: isRecording)
    lastTuneRequest.clear()
    lastSong.clear()
    lastSensing.clear()
  }

  /// Removes the commands sent in `packet` or before. Returns the number of removed entries.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Int {
    var count = lastSequencer.trim(through: packet) ? 1 : 0
    if lastTimeCode.trim(through: packet) { count += 1 }
    if lastReset.trim(through: packet) { count += 1 }
    if lastTuneRequest.trim(through: packet) { count += 1 }
    if lastSong.trim(through: packet) { count += 1 }
    if lastSensing.trim(through: packet) { count += 1 }
    return count
  }

  /// The flags of the chapters in the history, as in ``SystemJournalHeader/chapters``.
  var chapters: UInt8 {
    @_noLocks @_noAllocation get {
      .bit(0x40, if: hasD) | .bit(0x20, if: hasV) | .bit(0x10, if: hasQ) | .bit(0x08, if: hasF)
    }
  }

  /// Appends the chapters. `last` is the sequence number of the packet directly before the one that is being encoded.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) throws(JournalOverflow) {
    if hasD {
      try ChapterD(
        s: !chapterDIsUpdated(by: last), resets: log(of: lastReset, value: UInt7(masking: resets), last: last),
        tuneRequests: log(of: lastTuneRequest, value: UInt7(masking: tuneRequests), last: last),
        song: log(of: lastSong, value: song, last: last)
      ).append(to: &packet)
    }
    if hasV { try FlaggedValue(lastSensing.packet != last, UInt7(masking: activeSensings)).append(to: &packet) }
    if hasQ { try ChapterQ(s: lastSequencer.packet != last, sequencer).append(to: &packet) }
    if hasF {
      try ChapterF(
        s: lastTimeCode.packet != last, complete: timeCode.complete, isQuarterFrames: true,
        partial: timeCode.count > 0 ? timeCode.partial : nil, isBackwards: timeCode.isBackwards, point: timeCode.point
      ).append(to: &packet)
    }
  }

  /// Returns the log of a command of Chapter D; nil if the command is not in the history.
  @_noLocks @_noAllocation
  private func log(of lastSent: LastSent, value: UInt7, last: UInt16) -> FlaggedValue? {
    lastSent.isInHistory ? FlaggedValue(lastSent.packet != last, value) : nil
  }
}

/// The newest packet that contains a command of one kind, and whether the command is part of the checkpoint history
/// (the commands since the checkpoint of the recovery journal).
struct LastSent: BitwiseCopyable {
  /// The sequence number of the packet. Valid only while ``isInHistory`` is true.
  private(set) var packet: UInt16 = 0
  /// Whether the command was sent since the checkpoint.
  private(set) var isInHistory = false

  /// Records that a packet contains a command of the kind.
  ///
  /// - Parameters:
  ///   - packet: the sequence number of the packet.
  ///   - isRecording: whether the stream keeps a checkpoint history. Otherwise the call has no effect.
  @_noLocks @_noAllocation
  mutating func mark(_ packet: UInt16, if isRecording: Bool) {
    guard isRecording else { return }
    (self.packet, isInHistory) = (packet, true)
  }

  @_noLocks @_noAllocation
  mutating func clear() { isInHistory = false }

  /// Removes the command from the history if it was sent in `packet` or before. Returns whether it was removed.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool {
    guard isInHistory, !self.packet.isAfter(packet) else { return false }
    isInHistory = false
    return true
  }

  /// Whether `packet` is the newest packet that contains the command.
  @_noLocks @_noAllocation
  func wasSent(in packet: UInt16) -> Bool { isInHistory ? self.packet == packet : false }
}
