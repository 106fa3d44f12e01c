import MusicalTime
import Playback

/// Decides when the notes of the local player's instrument sound at the other peers.
///
/// At the local peer, a note sounds at once or on a line of the quantization grid. At all other peers, the note sounds on the first line
/// that is not before the note and that the message can reach in time; without a grid, it sounds at the same instant as at the local peer.
/// The note keeps its length. If two notes of a key fall on the same line, only the first one is sent.
struct RemoteNotes: BitwiseCopyable {
  /// When a message takes effect at the other peers.
  enum Placement: BitwiseCopyable {
    /// At an instant; if it has passed, at once.
    case at(Instant)
    /// Never: the message is not sent.
    case never
  }

  /// For each key, when the last note that was moved to a grid line begins at the other peers.
  private var beginnings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: 0))
  /// For each key, how much later the last note begins at the other peers than at the local peer.
  private var delays = InlineArray<128, Nanoseconds>(repeating: .zero)
  /// The keys whose last note is not sent, because an earlier note of the key sounds on the same line. One bit per key.
  private var merged = UInt128(0)

  @_noLocks @_noAllocation
  init() {}

  /// Places the beginning of a note that sounds at `instant` at the local peer.
  ///
  /// - Parameter line: the line on which the note sounds at the other peers; nil: it sounds at `instant` there, too.
  @_noLocks @_noAllocation
  mutating func begin(_ key: UInt8, at instant: Instant, line: Tick?, on schedule: PlaybackSchedule) -> Placement {
    let index = Int(key & 0x7F)
    let bit = UInt128(1) &<< UInt128(index)
    merged &= ~bit
    guard let line else {
      delays[index] = .zero
      return .at(instant)
    }
    let due = schedule.deadline(line)
    // The conversion from the clock of the master to local time may have been slewed since the last note, so the same line may be due some
    // microseconds earlier or later.
    let distance = due - beginnings[index]
    if distance >= .milliseconds(-1), distance <= .milliseconds(1) {
      merged |= bit
      return .never
    }
    (beginnings[index], delays[index]) = (due, due - instant)
    return .at(due)
  }

  /// Places the end of the last note of a key.
  @_noLocks @_noAllocation
  mutating func end(_ key: UInt8, at instant: Instant) -> Placement {
    let index = Int(key & 0x7F)
    guard merged & (UInt128(1) &<< UInt128(index)) == 0 else { return .never }
    return .at(instant + delays[index])
  }
}
