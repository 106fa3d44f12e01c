import CFluidSynth

/// A drum kit whose hits start on exact frames.
///
/// FluidSynth starts voices on its own 64-frame blocks, so one synthesizer puts a hit up to 63 frames off its place.
/// Here 64 of them share one SoundFont, and the blocks of lane k begin at the frames congruent to k modulo 64: a hit at
/// frame f is played by lane f mod 64, whose next block begins at f. So exactly one lane may begin a block at any
/// frame, and blocks are rendered in the order of their first frames, whatever the periods: the sum of the lanes is the
/// same to the last bit however it is cut into periods. Lanes without a voice are not rendered. A block overhangs its
/// period by up to 63 frames, which are kept for the next.
///
/// Cut-off groups: each group has a drum channel of its own in every lane, and a hit in a group first silences that
/// channel in all lanes. A lane obeys at its next block, so the old sound ends at most 63 frames after the new one
/// began.
///
/// FluidSynth leads each voice from the stereo position of whatever its slot played last to its own, over the first
/// block. So that a hit does not depend on what went before, a lane that falls silent plays a hit into the void in
/// every slot it has used: the next ones all start from there. Only a hit in a lane that still sounds may find a slot
/// in another state.
///
/// A kit has one owner, so one thread at a time uses it.
public struct DrumLanes: ~Copyable, @unchecked Sendable {
  /// The most frames a single ``render(left:right:)`` can give.
  public static var maximumPeriod: Int { @_noLocks @_noAllocation get { 4096 } }
  /// How many cut-off groups there are beside group 0, which cuts nothing.
  public static var groups: UInt8 { @_noLocks @_noAllocation get { 8 } }

  /// The first frame that has not been rendered yet.
  ///
  /// Real-time: safe.
  public private(set) var position: Int64 = 0

  // Invariants: all 64 synthesizers live from init to deinit. `left` and `right` hold 4096 + 63 frames from `position`
  // on; frames outside `position..<begun + 63` are zero. Every block that starts before `begun` is in them, none that
  // starts later; position <= begun <= position + 4096. Bit k of `sounding` is set while lane k may have voices.
  // `slots` says how many voice slots of a lane have been used since it was primed.
  private let lanes: UnsafeMutablePointer<OpaquePointer>
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>
  private let block: UnsafeMutablePointer<Float>
  private var begun: Int64 = 0
  private var sounding: UInt64 = 0
  private var slots = InlineArray<64, Int32>(repeating: DrumLanes.voices)
  private let primer: UInt8
  private let soundFont: SoundFont
  private let rate: Int64

  /// Frames of FluidSynth's block, and so the number of lanes.
  static var blockFrames: Int { @_noLocks @_noAllocation get { 64 } }
  private static var overhang: Int { @_noLocks @_noAllocation get { 63 } }

  /// Loads the drum kit of a SoundFont for frames on `grid`.
  ///
  /// - Throws: ``AudioFileError`` when `soundFont` cannot be read, is no SoundFont or has no drums.
  ///
  /// Real-time: not safe.
  public init(soundFont: String = DrumLanes.defaultSoundFont, grid: FrameGrid = .standard) throws(AudioFileError) {
    try self.init(SoundFont(soundFont, rate: grid.rate))
  }

  /// The drum kit of a SoundFont that others share.
  ///
  /// - Throws: ``AudioFileError`` when it has no drums.
  ///
  /// Real-time: not safe.
  init(_ soundFont: SoundFont) throws(AudioFileError) {
    (lanes, primer) = try DrumLanes.load(soundFont)
    self.soundFont = soundFont
    rate = soundFont.rate
    let frames = DrumLanes.maximumPeriod + DrumLanes.overhang
    left = .allocate(capacity: frames)
    right = .allocate(capacity: frames)
    block = .allocate(capacity: 2 * DrumLanes.blockFrames)
    left.initialize(repeating: 0, count: frames)
    right.initialize(repeating: 0, count: frames)
    block.initialize(repeating: 0, count: 2 * DrumLanes.blockFrames)
    for lane in 0..<DrumLanes.blockFrames { prime(lane) }
  }

  deinit {
    soundFont.end(lanes, count: DrumLanes.blockFrames)
    left.deallocate()
    right.deallocate()
    block.deallocate()
  }

  /// Strikes `note` so that its first frame is `frame`, which lies in the coming period and not before an earlier
  /// strike's.
  ///
  /// - Returns: false, and nothing sounds, for a frame outside that, a note above 127, a velocity outside 1...127 or a group
  ///   above 8.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func strike(_ note: UInt8, velocity: UInt8, group: UInt8 = 0, at frame: Int64) -> Bool {
    guard note < 128, velocity > 0, velocity < 128, group <= Self.groups else { return false }
    guard frame >= begun, frame &- position < Int64(Self.maximumPeriod) else { return false }
    begin(before: frame)
    if group > 0 { silence(channel: Self.channel(of: group)) }
    let lane = Int(truncatingIfNeeded: frame & 63)
    lane_note_on(lanes[lane], Self.channel(of: group), Int32(note), Int32(velocity))
    sounding |= 1 &<< UInt64(lane)
    let used = lane_voices(lanes[lane])
    if used > slots[lane] { slots[lane] = used }
    return true
  }

  /// Gives the next frames, as many as both buffers hold, at most ``maximumPeriod``, and moves on by them.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(left leftFrames: inout MutableSpan<Float>, right rightFrames: inout MutableSpan<Float>) {
    var count = leftFrames.count < rightFrames.count ? leftFrames.count : rightFrames.count
    if count > Self.maximumPeriod { count = Self.maximumPeriod }
    begin(before: position &+ Int64(count))
    var frame = 0
    while frame < count {
      leftFrames[frame] = left[frame]
      rightFrames[frame] = right[frame]
      frame += 1
    }
    discard(count)
  }

  /// Goes on at `frame`, after an underrun. Voices keep their natural place; when more than a second is missing, which
  /// would take long to catch up with, they end instead. A frame already passed changes nothing.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func skip(to frame: Int64) {
    guard frame > position else { return }
    let (gap, wraps) = frame.subtractingReportingOverflow(position)
    if !wraps && gap <= rate {
      while position < frame {
        let rest = frame &- position
        let count = rest < Int64(Self.maximumPeriod) ? Int(rest) : Self.maximumPeriod
        begin(before: position &+ Int64(count))
        discard(count)
      }
    } else {
      silence(channel: -1)
      begin(before: position &+ Int64(Self.maximumPeriod))
      discard(Self.maximumPeriod)
      (position, begun) = (frame, frame)
    }
  }

  /// Group 0 plays on General MIDI's drum channel, number 10 for people and 9 on the wire; group g on wire channel g -
  /// 1.
  @_noLocks @_noAllocation
  static func channel(of group: UInt8) -> Int32 { group == 0 ? 9 : Int32(group) &- 1 }

  @_noLocks @_noAllocation
  private func silence(channel: Int32) {
    var rest = sounding
    while rest != 0 {
      lane_silence(lanes[rest.trailingZeroBitCount], channel)
      rest &= rest &- 1
    }
  }

  /// Renders every block that starts before `frame` and has not been rendered yet.
  @_noLocks @_noAllocation
  private mutating func begin(before frame: Int64) {
    guard frame > begun else { return }
    while sounding != 0 {
      // Turned right by the lane whose block would start here, bit n says whether a block starts n frames from here.
      let lane = UInt64(truncatingIfNeeded: begun & 63)
      let upcoming = (sounding &>> lane) | (sounding &<< ((64 &- lane) & 63))
      begun = begun &+ Int64(upcoming.trailingZeroBitCount)
      if begun >= frame { break }
      renderBlock()
      begun = begun &+ 1
      if begun == frame { break }
    }
    begun = frame
  }

  /// Adds the block that starts at `begun`.
  @_noLocks @_noAllocation
  private mutating func renderBlock() {
    let lane = Int(truncatingIfNeeded: begun & 63)
    let start = Int(truncatingIfNeeded: begun &- position)
    lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
    var frame = 0
    while frame < Self.blockFrames {
      left[start &+ frame] += block[frame]
      right[start &+ frame] += block[Self.blockFrames &+ frame]
      frame += 1
    }
    if lane_voices(lanes[lane]) == 0 {
      sounding &= ~(1 &<< UInt64(lane))
      prime(lane)
    }
  }

  /// Plays the primer in the used slots of a silent lane, for nobody to hear. Slots are used from the first on.
  @_noLocks @_noAllocation
  private mutating func prime(_ lane: Int) {
    var hits: Int32 = 0
    while hits < slots[lane] && lane_voices(lanes[lane]) < slots[lane] {
      lane_note_on(lanes[lane], Self.channel(of: 0), Int32(primer), 127)
      hits += 1
    }
    lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
    lane_silence(lanes[lane], -1)
    lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
    slots[lane] = 0
  }

  /// Moves on by `count` frames, all begun: what lies beyond them comes to the front, the rest becomes silence.
  @_noLocks @_noAllocation
  private mutating func discard(_ count: Int) {
    let used = Int(truncatingIfNeeded: begun &- position) &+ Self.overhang
    let kept = used &- count
    var frame = 0
    while frame < used {
      left[frame] = frame < kept ? left[frame &+ count] : 0
      right[frame] = frame < kept ? right[frame &+ count] : 0
      frame += 1
    }
    position = position &+ Int64(count)
  }
}
