import MIDI

/// Where a sequencer stands that obeys Start, Continue, Stop, Song Position and Clock, as Chapter Q tells it (RFC 6295,
/// appendix B.3).
///
/// Start and Song Position put it before a place, which the next Clock plays; each Clock after that plays the one behind
/// it. A Clock while it stands still moves nothing. So after Start and n Clocks, ``next`` is n.
struct SequencerState: Hashable, Sendable, BitwiseCopyable {
  private(set) var isRunning = false
  /// In Clocks from the song's start, modulo 2^19: the one played last, if ``isPlayed``, else the one to be played next.
  private(set) var position: UInt32 = 0
  private(set) var isPlayed = false

  @_noLocks @_noAllocation
  init() {}

  /// What Chapter Q tells.
  @_noLocks @_noAllocation
  init(_ chapter: ChapterQ) {
    (isRunning, position, isPlayed) = (chapter.isRunning, chapter.position & 0x7FFFF, chapter.isPlayed)
  }

  /// The place that the next Clock plays, in Clocks from the song's start, modulo 2^19.
  var next: UInt32 { @_noLocks @_noAllocation get { (isPlayed ? position + 1 : position) & 0x7FFFF } }

  /// How many Clocks `other` is ahead: the nearest of those equal modulo 2^19.
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
