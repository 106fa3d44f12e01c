import BasicContainers
import MIDI

/// What a stream has said with system messages, System Exclusive apart: one newest state a chapter, D, V, Q and F.
struct SystemHistory: BitwiseCopyable {
  var sequencer = SequencerHistory()
  private var timeCode = TimeCodeHistory()
  private var resets: UInt8 = 0
  private var tuneRequests: UInt8 = 0
  private var senses: UInt8 = 0
  private var song: UInt7 = 0
  private var saidReset = Said()
  private var saidTuneRequest = Said()
  private var saidSong = Said()
  private var saidSense = Said()

  @_noLocks @_noAllocation
  init() {}

  var hasD: Bool {
    @_noLocks @_noAllocation get {
      if saidReset.isLive { return true }
      return saidTuneRequest.isLive ? true : saidSong.isLive
    }
  }
  var hasV: Bool { @_noLocks @_noAllocation get { saidSense.isLive } }
  var hasQ: Bool { @_noLocks @_noAllocation get { sequencer.said.isLive } }
  var hasF: Bool { @_noLocks @_noAllocation get { timeCode.said.isLive } }

  var isEmpty: Bool {
    @_noLocks @_noAllocation get {
      if hasQ { return false }
      if hasD { return false }
      return hasV ? false : !hasF
    }
  }

  /// Whether it holds anything that nobody says again: where a running sequencer is, its next Clock says.
  var wantsGuard: Bool {
    @_noLocks @_noAllocation get {
      if hasQ, !sequencer.isRunning { return true }
      if hasD { return true }
      return hasV ? true : hasF
    }
  }

  /// Whether packet `last` said anything of this.
  @_noLocks @_noAllocation
  func isFresh(_ last: UInt16) -> Bool {
    if sequencer.said.isFresh(last) { return true }
    if isFreshD(last) { return true }
    return saidSense.isFresh(last) ? true : timeCode.said.isFresh(last)
  }

  @_noLocks @_noAllocation
  private func isFreshD(_ last: UInt16) -> Bool {
    if saidReset.isFresh(last) { return true }
    return saidTuneRequest.isFresh(last) ? true : saidSong.isFresh(last)
  }

  /// Takes a system message other than Reset.
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
      saidSong.mark(packet, if: isRecording)
    case .tuneRequest:
      tuneRequests = (tuneRequests + 1) & 0x7F
      saidTuneRequest.mark(packet, if: isRecording)
    case .activeSensing:
      senses = (senses + 1) & 0x7F
      saidSense.mark(packet, if: isRecording)
    default: break
    }
  }

  /// Takes a Reset: nothing said before it stands. The counts go on.
  @_noLocks @_noAllocation
  mutating func reset(_ packet: UInt16, if isRecording: Bool) {
    sequencer = SequencerHistory()
    timeCode = TimeCodeHistory()
    resets = (resets + 1) & 0x7F
    saidReset.mark(packet, if: isRecording)
    saidTuneRequest.clear()
    saidSong.clear()
    saidSense.clear()
  }

  /// Forgets what `packet` or one before it said. Returns how many things that was.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Int {
    var count = sequencer.trim(through: packet) ? 1 : 0
    if timeCode.trim(through: packet) { count += 1 }
    if saidReset.trim(through: packet) { count += 1 }
    if saidTuneRequest.trim(through: packet) { count += 1 }
    if saidSong.trim(through: packet) { count += 1 }
    if saidSense.trim(through: packet) { count += 1 }
    return count
  }

  /// Appends the chapters that there are. Returns false when there is no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    if hasD {
      let chapter = ChapterD(
        s: !isFreshD(last), resets: log(saidReset, UInt7(masking: resets), last),
        tuneRequests: log(saidTuneRequest, UInt7(masking: tuneRequests), last), song: log(saidSong, song, last))
      guard chapter.append(to: &packet) else { return false }
    }
    if hasV {
      let chapter = ChapterV(s: saidSense.packet != last, count: UInt7(masking: senses))
      guard chapter.append(to: &packet) else { return false }
    }
    if hasQ { guard sequencer.append(to: &packet, last: last) else { return false } }
    if hasF { return timeCode.append(to: &packet, last: last) }
    return true
  }

  @_noLocks @_noAllocation
  private func log(_ said: Said, _ value: UInt7, _ last: UInt16) -> ChapterD.Log? {
    said.isLive ? ChapterD.Log(s: said.packet != last, value: value) : nil
  }
}
