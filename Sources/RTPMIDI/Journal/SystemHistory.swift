import BasicContainers
import MIDI

/// The newest state of the system chapters D, V, Q and F of a stream. Chapter X is in ``ExclusiveHistory``.
struct SystemHistory: BitwiseCopyable {
  var sequencer = SequencerHistory()
  private var timeCode = TimeCodeHistory()
  // The numbers of commands since the start of the session, modulo 128.
  private var resets: UInt8 = 0
  private var tuneRequests: UInt8 = 0
  private var activeSensings: UInt8 = 0
  /// The newest selected song.
  private var song: UInt7 = 0
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
  var hasQ: Bool { @_noLocks @_noAllocation get { sequencer.lastSent.isInHistory } }
  var hasF: Bool { @_noLocks @_noAllocation get { timeCode.lastSent.isInHistory } }

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
    if sequencer.lastSent.wasSent(in: last) { return true }
    if chapterDIsUpdated(by: last) { return true }
    return lastSensing.wasSent(in: last) ? true : timeCode.lastSent.wasSent(in: last)
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
    case .clock: sequencer.clock(packet, if: isRecording)
    case .start: sequencer.start(packet, if: isRecording)
    case .continue: sequencer.run(true, packet, if: isRecording)
    case .stop: sequencer.run(false, packet, if: isRecording)
    case .songPosition(let sixteenth): sequencer.locate(sixteenth, packet, if: isRecording)
    case .quarterFrame(let data): timeCode.quarterFrame(data, packet, if: isRecording)
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

  /// Records a Reset, which makes all earlier commands inactive. The counts continue.
  @_noLocks @_noAllocation
  mutating func reset(_ packet: UInt16, if isRecording: Bool) {
    sequencer = SequencerHistory()
    timeCode = TimeCodeHistory()
    resets = (resets + 1) & 0x7F
    lastReset.mark(packet, if: isRecording)
    lastTuneRequest.clear()
    lastSong.clear()
    lastSensing.clear()
  }

  /// Removes the commands sent in `packet` or before. Returns the number of removed entries.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Int {
    var count = sequencer.trim(through: packet) ? 1 : 0
    if timeCode.trim(through: packet) { count += 1 }
    if lastReset.trim(through: packet) { count += 1 }
    if lastTuneRequest.trim(through: packet) { count += 1 }
    if lastSong.trim(through: packet) { count += 1 }
    if lastSensing.trim(through: packet) { count += 1 }
    return count
  }

  /// Appends the chapters. `last` is the sequence number of the packet directly before the one that is being encoded.
  /// Returns false if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    if hasD {
      let chapter = ChapterD(
        s: !chapterDIsUpdated(by: last), resets: log(of: lastReset, value: UInt7(masking: resets), last: last),
        tuneRequests: log(of: lastTuneRequest, value: UInt7(masking: tuneRequests), last: last),
        song: log(of: lastSong, value: song, last: last))
      guard chapter.append(to: &packet) else { return false }
    }
    if hasV {
      let chapter = ChapterV(s: lastSensing.packet != last, count: UInt7(masking: activeSensings))
      guard chapter.append(to: &packet) else { return false }
    }
    if hasQ { guard sequencer.append(to: &packet, last: last) else { return false } }
    if hasF { return timeCode.append(to: &packet, last: last) }
    return true
  }

  /// Returns the log of a command of Chapter D; nil if the command is not in the history.
  @_noLocks @_noAllocation
  private func log(of lastSent: LastSent, value: UInt7, last: UInt16) -> ChapterD.Log? {
    lastSent.isInHistory ? ChapterD.Log(s: lastSent.packet != last, value: value) : nil
  }
}
