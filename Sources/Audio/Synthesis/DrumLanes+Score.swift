// The notes of a score. They start and end like the notes of the pitched parts of a rhythm.
extension DrumLanes {
  /// The maximum number of parts of a score.
  ///
  /// Real-time: safe.
  public static var scorePartCount: UInt8 { @_noLocks @_noAllocation get { 64 } }

  /// Plays a note of a score. The first frame of the note is `frame`.
  ///
  /// The parts of a score have no channels of their own. Four channels of each lane are for scores, and the note sets the program of its
  /// channel. It takes a channel on which no note with its key is held in the lane, so that two parts can play one key and end
  /// independently. If all four channels hold the key, the oldest of these notes ends.
  ///
  /// - Parameters:
  ///   - key: 0...127.
  ///   - velocity: 1...127.
  ///   - part: 0...63.
  ///   - program: The General MIDI program, 0...127.
  ///   - frame: In `position..<position + maximumPeriod`, and not before the frame of an earlier note or hit.
  ///   - end: The frame at which the note is released.
  ///
  /// - Returns: false, without an effect, if a parameter is out of range, or if the hits and notes on this frame use all lanes.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(
    _ key: UInt8, velocity: UInt8, scorePart part: UInt8, program: UInt8, at frame: Int64, until end: Int64
  ) -> Bool {
    guard key < 128, velocity > 0, velocity < 128, part < Self.scorePartCount, program < 128,
      let lane = prepareLane(at: frame)
    else { return false }
    let end = NoteEnds.End(
      frame: end, channel: scoreChannel(for: key, in: lane), key: key, owner: Self.owner(ofScorePart: part))
    begin(end, velocity: velocity, program: program, in: lane, at: frame)
    return true
  }

  /// Plays a drum of a score. Its first frame is `frame`.
  ///
  /// - Parameters:
  ///   - key: The General MIDI drum, 0...127. The hi-hats end each other: 42 (closed), 44 (pedal) and 46 (open).
  ///   - velocity: 1...127.
  ///   - frame: As for a note.
  ///
  /// - Returns: As for a note.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func strikeScore(_ key: UInt8, velocity: UInt8, at frame: Int64) -> Bool {
    // A rhythm numbers its groups from 1, so the last group is free except in a rhythm with eight groups.
    strike(key, velocity: velocity, group: key == 42 || key == 44 || key == 46 ? Self.groupCount : 0, at: frame)
  }

  /// Releases the notes of a part of a score, or of all parts (nil), at `frame`, unless they end earlier.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func releaseScore(part: UInt8? = nil, at frame: Int64) {
    guard let part else {
      noteEnds.limit(
        to: frame, ownersFrom: Self.owner(ofScorePart: 0), through: Self.owner(ofScorePart: Self.scorePartCount &- 1))
      return
    }
    guard part < Self.scorePartCount else { return }
    noteEnds.limit(to: frame, ownersFrom: Self.owner(ofScorePart: part), through: Self.owner(ofScorePart: part))
  }

  /// The number of a part of a score as ``NoteEnds/End/owner``: 64...127.
  @_noLocks @_noAllocation
  static func owner(ofScorePart part: UInt8) -> UInt8 { 64 &+ part }

  /// The zero-based channel for a note of a score.
  @_noLocks @_noAllocation
  private func scoreChannel(for key: UInt8, in lane: Int) -> UInt8 {
    var (oldest, oldestPlace) = (UInt8(8), Int.max)
    var index = 0
    while index < 4 {
      // The channels that neither the drums (0...7 and 9) nor the parts of a rhythm (10...12) use.
      let channel = index == 0 ? 8 : 12 &+ UInt8(truncatingIfNeeded: index)
      guard let place = noteEnds.place(of: key, onChannel: channel, in: lane) else { return channel }
      if place < oldestPlace { (oldest, oldestPlace) = (channel, place) }
      index += 1
    }
    return oldest
  }
}
