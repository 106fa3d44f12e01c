import MIDI

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
