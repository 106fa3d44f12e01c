import BasicContainers
import MIDI

/// Chapter Q of the recovery journal, the sequencer state (RFC 6295, appendix B.3): one to six octets. [n] stands for n
/// bits.
///
///     S N D C T TOP[3] | CLOCK[16], if C | TIMETOOLS[24], if T
///
/// If C is 0, the position is the start of the song. Otherwise, it is TOP * 65536 + CLOCK Timing Clocks after the
/// start. If D is 1, the newest Clock has played this position. If D is 0, Start or Song Position has set the position,
/// and the next Clock plays it. Examples:
///
///     newest command                  position   D
///     Start                           0          0
///     the first Clock after Start     0          1
///     the second Clock after Start    1          1
struct ChapterQ: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// N: the newest of Start, Continue and Stop is Start or Continue.
  var isRunning: Bool
  /// D: the Clock at `position` has been played.
  var isPlayed: Bool
  /// The position in Timing Clocks, modulo 2^19.
  var position: UInt32
  /// T: the position in milliseconds, modulo 2^24. Only devices that send no Clock use this field.
  var milliseconds: UInt32?

  @_noLocks @_noAllocation
  init(s: Bool, isRunning: Bool, isPlayed: Bool, position: UInt32, milliseconds: UInt32? = nil) {
    (self.s, self.isRunning, self.isPlayed) = (s, isRunning, isPlayed)
    (self.position, self.milliseconds) = (position & 0x7FFFF, milliseconds)
  }

  /// Creates the chapter that describes `sequencer`.
  @_noLocks @_noAllocation
  init(s: Bool, _ sequencer: SequencerState) {
    self.init(s: s, isRunning: sequencer.isRunning, isPlayed: sequencer.isPlayed, position: sequencer.position)
  }

  /// Reads the chapter at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let flags = try packet.readOctet(at: &position, end: end)
    (s, isRunning, isPlayed) = (flags.has(0x80), flags.has(0x40), flags.has(0x20))
    self.position = 0
    if flags.has(0x10) {
      self.position = try UInt32(flags & 0x07) << 16 | UInt32(packet.readUInt16(at: &position, end: end))
    }
    if flags.has(0x08) {
      let top = try UInt32(packet.readOctet(at: &position, end: end))
      milliseconds = try top << 16 | UInt32(packet.readUInt16(at: &position, end: end))
    }
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    let hasClock = position != 0
    try packet.write(
      .bit(0x80, if: s) | .bit(0x40, if: isRunning) | .bit(0x20, if: isPlayed) | .bit(0x10, if: hasClock)
        | .bit(0x08, if: milliseconds != nil) | UInt8(truncatingIfNeeded: position >> 16) & 0x07)
    if hasClock { try packet.write(UInt16(truncatingIfNeeded: position)) }
    if let milliseconds {
      try packet.write(UInt8(truncatingIfNeeded: milliseconds >> 16))
      try packet.write(UInt16(truncatingIfNeeded: milliseconds))
    }
  }
}

/// The state of a sequencer that follows Start, Continue, Stop, Song Position and Clock, as in Chapter Q (RFC 6295,
/// appendix B.3).
///
/// Start and Song Position set the position that the next Clock plays; each following Clock plays the next position. A
/// Clock while the sequencer is stopped has no effect. After Start and n Clocks, ``next`` is therefore n.
struct SequencerState: Hashable, Sendable, BitwiseCopyable {
  private(set) var isRunning = false
  /// The position in Clocks from the start of the song, modulo 2^19. If ``isPlayed`` is true, the newest Clock has
  /// played this position; otherwise, the next Clock plays it.
  private(set) var position: UInt32 = 0
  private(set) var isPlayed = false

  @_noLocks @_noAllocation
  init() {}

  /// Creates the state that Chapter Q describes.
  @_noLocks @_noAllocation
  init(_ chapter: ChapterQ) {
    (isRunning, position, isPlayed) = (chapter.isRunning, chapter.position & 0x7FFFF, chapter.isPlayed)
  }

  /// The position that the next Clock plays, in Clocks from the start of the song, modulo 2^19.
  var next: UInt32 { @_noLocks @_noAllocation get { (isPlayed ? position + 1 : position) & 0x7FFFF } }

  /// Returns the number of Clocks from this state to `other`, -2^18..<2^18; negative if `other` is behind.
  @_noLocks @_noAllocation
  func clocks(to other: SequencerState) -> Int {
    let difference = Int((other.next &- next) & 0x7FFFF)
    return difference < 1 << 18 ? difference : difference - 1 << 19
  }

  @_noLocks @_noAllocation
  mutating func apply(_ message: Message) {
    switch message {
    case .start: (isRunning, position, isPlayed) = (true, 0, false)
    case .continue: isRunning = true
    case .stop: isRunning = false
    case .songPosition(let sixteenths): (position, isPlayed) = (6 * UInt32(sixteenths.value), false)
    case .clock: if isRunning { (position, isPlayed) = (next, true) }
    default: break
    }
  }
}
