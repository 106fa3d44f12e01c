import CFluidSynth

// The notes of the pitched parts of a rhythm. They start on exact frames, like the hits of the drums. A note starts at the beginning
// of a block of its lane, so each later block begins a multiple of 64 frames after the start of the note. The note is released with
// the first block of its lane that begins at or after its end, at most 63 frames later. Therefore the note is equally long at all
// peers.
extension DrumLanes {
  /// The number of pitched parts.
  ///
  /// Real-time: safe.
  public static var partCount: UInt8 { @_noLocks @_noAllocation get { 3 } }

  /// Plays a note of a pitched part. The first frame of the note is `frame`.
  ///
  /// - Parameters:
  ///   - key: 0...127.
  ///   - velocity: 1...127.
  ///   - part: 1...3.
  ///   - program: The General MIDI program, 0...127.
  ///   - frame: In `position..<position + maximumPeriod`, and not before the frame of an earlier note or hit.
  ///   - end: The frame at which the note is released.
  ///
  /// - Returns: false, without an effect, if a parameter is out of range, or if the hits and notes on this frame use all lanes.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(
    _ key: UInt8, velocity: UInt8, part: UInt8, program: UInt8, at frame: Int64, until end: Int64
  ) -> Bool {
    guard key < 128, velocity > 0, velocity < 128, part > 0, part <= Self.partCount, program < 128,
      let lane = prepareLane(at: frame)
    else { return false }
    // The zero-based channels 10...12, because the drums use the channels up to 9 (``channel(of:)``).
    let end = NoteEnds.End(frame: end, channel: 9 &+ part, key: key, owner: part)
    begin(end, velocity: velocity, program: program, in: lane, at: frame)
    return true
  }

  /// Starts a note in `lane`, which ``prepareLane(at:)`` has returned for `frame`.
  @_noLocks @_noAllocation
  mutating func begin(_ end: NoteEnds.End, velocity: UInt8, program: UInt8, in lane: Int, at frame: Int64) {
    let index = Int(end.channel) &* Self.blockFrames &+ lane
    if programs[index] != program {
      lane_program(lanes[lane], Int32(end.channel), Int32(program))
      programs[index] = program
    }
    start(end.key, velocity: velocity, channel: Int32(end.channel), in: lane, at: frame)
    noteEnds.insert(end, in: lane)
  }

  /// Releases the notes of a part, or of all parts (0), at `frame`, unless they end earlier.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func releaseNotes(ofPart part: UInt8 = 0, at frame: Int64) {
    noteEnds.limit(to: frame, ownersFrom: part == 0 ? 1 : part, through: part == 0 ? Self.partCount : part)
  }

  /// Releases the notes whose ends are due with the blocks that begin at ``renderedEnd``.
  @_noLocks @_noAllocation
  mutating func releaseDueNotes() {
    let due = table.lanes(at: LaneTable.phase(of: renderedEnd))
    while let (lane, end) = noteEnds.take(at: renderedEnd, in: due) {
      lane_note_off(lanes[lane], Int32(end.channel), Int32(end.key))
    }
  }
}
