/// The ends of the notes that pitched parts play in ``DrumLanes``: when each note is released, and in which lane it sounds.
struct NoteEnds: Sendable, BitwiseCopyable {
  /// The maximum number of notes.
  static var capacity: Int { @_noLocks @_noAllocation get { 64 } }

  /// The end of a note.
  struct End: BitwiseCopyable {
    var frame: Int64
    let lane: UInt8
    let channel: UInt8
    let key: UInt8

    @_noLocks @_noAllocation
    init(frame: Int64, lane: UInt8, channel: UInt8, key: UInt8) {
      (self.frame, self.lane, self.channel, self.key) = (frame, lane, channel, key)
    }
  }

  private var ends = InlineArray<64, End>(repeating: End(frame: 0, lane: 0, channel: 0, key: 0))
  private(set) var count = 0
  /// A lower bound of the frames of all ends; `.max` if there is no end.
  private(set) var earliest = Int64.max

  /// Whether another note fits.
  var hasRoom: Bool { @_noLocks @_noAllocation get { count < Self.capacity } }

  /// Adds an end. Removes the end of an earlier note with the same channel and key in the same lane, because FluidSynth releases
  /// that note at the new Note On.
  @_noLocks @_noAllocation
  mutating func insert(_ end: End) {
    var index = 0
    while index < count {
      let other = ends[index]
      if other.lane == end.lane, other.channel == end.channel, other.key == end.key {
        remove(index)
      } else {
        index += 1
      }
    }
    guard hasRoom else { return }
    ends[count] = end
    count += 1
    if end.frame < earliest { earliest = end.frame }
  }

  /// Removes and returns an end that is due at `frame` in one of `lanes`, one bit per lane. Nil if there is none.
  @_noLocks @_noAllocation
  mutating func take(at frame: Int64, in lanes: UInt64) -> End? {
    guard earliest <= frame else { return nil }
    var index = 0
    while index < count {
      let end = ends[index]
      if end.frame <= frame, lanes & 1 &<< UInt64(end.lane) != 0 {
        remove(index)
        return end
      }
      index += 1
    }
    return nil
  }

  /// Removes the ends of a lane, which has fallen silent.
  @_noLocks @_noAllocation
  mutating func removeAll(of lane: Int) {
    var index = 0
    while index < count { if Int(ends[index].lane) == lane { remove(index) } else { index += 1 } }
  }

  /// Ends the notes of a channel, or all notes (nil), at `frame`, unless they end earlier.
  @_noLocks @_noAllocation
  mutating func limit(to frame: Int64, onChannel channel: UInt8?) {
    var index = 0
    while index < count {
      var isOnChannel = true
      if let channel { isOnChannel = ends[index].channel == channel }
      if isOnChannel, ends[index].frame > frame { ends[index].frame = frame }
      index += 1
    }
    if count > 0, earliest > frame { earliest = frame }
  }

  /// Removes the end at `index`.
  @_noLocks @_noAllocation
  private mutating func remove(_ index: Int) {
    count -= 1
    ends[index] = ends[count]
    earliest = .max
    var other = 0
    while other < count {
      if ends[other].frame < earliest { earliest = ends[other].frame }
      other += 1
    }
  }
}
