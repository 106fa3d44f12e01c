/// The ends of the notes that sound in ``DrumLanes``: when each note is released, and on which channel of its lane it sounds.
///
/// Each lane has a place for each of its voices. A search therefore looks only at the notes of the lanes whose blocks begin, also if 256
/// notes are held.
struct NoteEnds: ~Copyable {
  /// The maximum number of notes of a lane: the number of its voices (``DrumLanes/polyphony``).
  static var perLane: Int { @_noLocks @_noAllocation get { 12 } }

  /// The end of a note.
  struct End: BitwiseCopyable {
    /// The frame at which the note is released.
    var frame: Int64
    /// Zero-based.
    let channel: UInt8
    let key: UInt8
    /// Who plays the note: 1...3 for a pitched part of the rhythm, 64...127 for a part of a score (``DrumLanes/owner(ofScorePart:)``).
    let owner: UInt8

    @_noLocks @_noAllocation
    init(frame: Int64, channel: UInt8, key: UInt8, owner: UInt8) {
      (self.frame, self.channel, self.key, self.owner) = (frame, channel, key, owner)
    }
  }

  // Invariants: the first `counts[lane]` of the twelve elements from 12 * lane on are the ends of the notes of the lane, in the order in
  // which the notes began. `earliest[lane]` is the least frame of them, `.max` without one.
  private var ends = InlineArray<768, End>(repeating: End(frame: 0, channel: 0, key: 0, owner: 0))
  private var counts = InlineArray<64, Int>(repeating: 0)
  private var earliest = InlineArray<64, Int64>(repeating: .max)
  /// The lanes that hold a note, one bit per lane.
  private(set) var holding: UInt64 = 0

  /// The number of notes.
  var count: Int {
    @_noLocks @_noAllocation get {
      var (sum, lane) = (0, 0)
      while lane < 64 {
        sum += counts[lane]
        lane += 1
      }
      return sum
    }
  }

  /// Whether another note fits into a lane.
  @_noLocks @_noAllocation
  func hasRoom(_ lane: Int) -> Bool { counts[lane] < Self.perLane }

  /// The place of a note with this channel and key among the notes of a lane, from 0 for the oldest note. Nil if there is none.
  @_noLocks @_noAllocation
  func place(of key: UInt8, onChannel channel: UInt8, in lane: Int) -> Int? {
    var place = 0
    while place < counts[lane] {
      let end = ends[Self.perLane &* lane &+ place]
      if end.key == key, end.channel == channel { return place }
      place += 1
    }
    return nil
  }

  /// Adds the end of a note that begins now. Removes the end of an earlier note with the same channel and key in the same lane, because
  /// FluidSynth releases that note at the new Note On. Does nothing if the lane has no room.
  @_noLocks @_noAllocation
  mutating func insert(_ end: End, in lane: Int) {
    if let place = place(of: end.key, onChannel: end.channel, in: lane) { remove(place, of: lane) }
    guard hasRoom(lane) else { return }
    ends[Self.perLane &* lane &+ counts[lane]] = end
    counts[lane] += 1
    holding |= 1 &<< UInt64(lane)
    if end.frame < earliest[lane] { earliest[lane] = end.frame }
  }

  /// Removes and returns an end that is due at `frame` in one of `lanes`, one bit per lane. Nil if there is none.
  @_noLocks @_noAllocation
  mutating func take(at frame: Int64, in lanes: UInt64) -> (lane: Int, end: End)? {
    var remaining = lanes & holding
    while remaining != 0 {
      let lane = remaining.trailingZeroBitCount
      remaining &= remaining &- 1
      guard earliest[lane] <= frame else { continue }
      var place = 0
      while place < counts[lane] {
        let end = ends[Self.perLane &* lane &+ place]
        if end.frame <= frame {
          remove(place, of: lane)
          return (lane, end)
        }
        place += 1
      }
    }
    return nil
  }

  /// Removes the ends of a lane, which has fallen silent.
  @_noLocks @_noAllocation
  mutating func removeAll(of lane: Int) {
    counts[lane] = 0
    earliest[lane] = .max
    holding &= ~(1 &<< UInt64(lane))
  }

  /// Ends the notes of the owners `first` to `last` at `frame`, unless they end earlier.
  @_noLocks @_noAllocation
  mutating func limit(to frame: Int64, ownersFrom first: UInt8, through last: UInt8) {
    var remaining = holding
    while remaining != 0 {
      let lane = remaining.trailingZeroBitCount
      remaining &= remaining &- 1
      var place = 0
      while place < counts[lane] {
        let index = Self.perLane &* lane &+ place
        if ends[index].owner >= first, ends[index].owner <= last, ends[index].frame > frame {
          ends[index].frame = frame
          if frame < earliest[lane] { earliest[lane] = frame }
        }
        place += 1
      }
    }
  }

  /// Removes the end at a place of a lane. The later notes move up.
  @_noLocks @_noAllocation
  private mutating func remove(_ place: Int, of lane: Int) {
    let first = Self.perLane &* lane
    counts[lane] -= 1
    var other = place
    while other < counts[lane] {
      ends[first &+ other] = ends[first &+ other &+ 1]
      other += 1
    }
    earliest[lane] = .max
    other = 0
    while other < counts[lane] {
      if ends[first &+ other].frame < earliest[lane] { earliest[lane] = ends[first &+ other].frame }
      other += 1
    }
    if counts[lane] == 0 { holding &= ~(1 &<< UInt64(lane)) }
  }
}
