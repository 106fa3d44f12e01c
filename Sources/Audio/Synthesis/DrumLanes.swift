import CFluidSynth

/// The sounds of a rhythm, a drum kit and three pitched parts, and the notes of a score. Hits and notes start on exact frames.
///
/// FluidSynth starts voices on its own 64-frame blocks, so a single synthesizer delays a hit by up to 63 frames. Here, up to 64
/// synthesizers (lanes) share one SoundFont. A lane without a voice is idle and is not rendered, so its next block can begin
/// at any frame. A hit is therefore played by an idle lane, which begins a block at the frame of the hit. Hits on the same
/// frame share a lane while it has room for their voices.
///
/// **Supply.** A lane takes 0.43 MB (FluidSynth 2.3.1), and how many lanes sound at once depends on the rhythm. Therefore a peer begins
/// with ``initialLanes`` lanes, and a ``SoundSupply`` creates further ones in the background whenever fewer than ``spareLanes`` are idle.
/// Without a supply, all 64 lanes exist from the start.
///
/// **Voice stealing.** While fewer voices sound than there are lanes, at least one lane is idle, and no voice is stolen (``LaneTable``).
/// Without an idle lane, a hit shares a lane whose blocks begin at the same phase, if such a lane has room. Otherwise a lane ends its voices
/// for the new hit: of the lanes that hold no note, whose sounds decay, the one with the oldest hit; if all lanes hold notes, the one with
/// the oldest hit.
///
/// Blocks are rendered in the order of their first frames, independently of the number of frames per call. The sum of the
/// lanes is therefore bit-identical for every division into calls. A block extends past the last frame of its call by up to
/// 63 frames, which are kept for the next call.
///
/// **Cut-off groups.** A hit in a cut-off group ends the earlier hits of this group, as a closed hi-hat ends an open one. Each
/// group has its own drum channel in every lane. A hit in a group first silences this channel in all lanes. A lane falls silent
/// at its next block, so the old sound ends at most 63 frames after the new sound began.
///
/// **Pitched parts.** Each part of a rhythm has its own channel in every lane, and the parts of a score share four channels. A note sets the
/// program of its channel in its lane. A note ends at a frame that is known when it starts.
///
/// **Event ring.** Until the next block of a lane, FluidSynth keeps the parameter changes of its voices in a ring of 768
/// changes. A change that does not fit is lost, and a voice whose start is lost never ends. A lane accepts hits up to
/// 12 voices. The start of a voice makes at most 50 changes. A hit also makes one change in each earlier voice of its note or
/// group. The sum of these changes is less than 768.
///
/// **Priming.** FluidSynth plays each voice in a voice slot. During the first block of a voice, FluidSynth moves the stereo
/// position from that of the previous voice in the same slot to that of the new voice. To make a hit independent of earlier
/// hits, a lane that falls silent plays an inaudible hit in each slot it has used. All following voices then start from the
/// same state. The only exception is a hit in a lane that still sounds from an earlier frame: it may find a slot in another state.
///
/// The value has one owner, so one thread at a time uses it.
public struct DrumLanes: ~Copyable, @unchecked Sendable {
  /// The maximum number of frames per call of ``render(left:right:)``.
  ///
  /// Real-time: safe.
  public static var maximumPeriod: Int { @_noLocks @_noAllocation get { 4096 } }
  /// The number of cut-off groups, without group 0, which cuts nothing off.
  ///
  /// Real-time: safe.
  public static var groupCount: UInt8 { @_noLocks @_noAllocation get { 8 } }

  /// The first frame that has not been rendered.
  ///
  /// Real-time: safe.
  public private(set) var position: Int64 = 0

  // Invariants: `lanes` has room for 64 synthesizers. The first `count` of them live until deinit, and are those of `table`. `left` and `right` hold 4096 + 63 frames from `position`
  // on. They contain exactly the blocks that start before `renderedEnd`, so frames outside
  // `position..<renderedEnd + 63` are zero; position <= renderedEnd <= position + 4096. `block` holds one block of 64
  // left and 64 right samples. Each lane that may have voices is active in `table`. `usedSlots` is the number of voice
  // slots that each lane has used since it was primed. Its initial value is the number of all slots, so that init primes all of them.
  // Bit c of `soundingChannels` is set while a voice of the lane may sound on channel c and was not silenced.
  let lanes: UnsafeMutablePointer<OpaquePointer>
  private(set) var count: Int
  let left: UnsafeMutablePointer<Float>
  let right: UnsafeMutablePointer<Float>
  let block: UnsafeMutablePointer<Float>
  var renderedEnd: Int64 = 0
  var table: LaneTable
  var usedSlots = InlineArray<64, Int32>(repeating: DrumLanes.polyphony)
  var soundingChannels = InlineArray<64, UInt16>(repeating: 0)
  /// The ends of the notes of pitched parts and scores.
  var noteEnds = NoteEnds()
  /// The program of each lane on channel 0, then on the channels up to 15.
  var programs = InlineArray<1024, UInt8>(repeating: 0)
  let primingNote: UInt8
  /// Nil if all lanes exist and all samples are in memory.
  private let supply: SupplyRings?
  private var requestedPrograms = RequestedPrograms()
  /// The number of lanes that exist or were requested.
  private var requested: Int
  private let soundFont: SoundFont
  private let rate: Int64

  /// The number of lanes at the start, if there is a supply.
  static var initialLanes: Int { @_noLocks @_noAllocation get { 12 } }
  /// If fewer lanes are idle, another one is requested.
  private static var spareLanes: Int { @_noLocks @_noAllocation get { 6 } }
  /// The frames per FluidSynth block, which is also the maximum number of lanes.
  static var blockFrames: Int { @_noLocks @_noAllocation get { 64 } }
  /// The maximum number of frames by which a block extends past the last frame of its call.
  private static var overhang: Int { @_noLocks @_noAllocation get { 63 } }

  /// Loads the drum kit of a SoundFont for frames on `grid`.
  ///
  /// - Throws: ``AudioFileError`` if `soundFont` cannot be read, is not a SoundFont or has no drum kit.
  ///
  /// Real-time: not safe.
  public init(soundFont: String, grid: FrameGrid = .standard) throws(AudioFileError) {
    try self.init(SoundFont(soundFont, rate: grid.rate))
  }

  /// Uses the drum kit of a shared SoundFont.
  ///
  /// - Parameter supply: Where further lanes come from. Nil to create all lanes now.
  /// - Throws: ``AudioFileError`` if the SoundFont has no drum kit.
  ///
  /// Real-time: not safe.
  init(_ soundFont: SoundFont, supply: SupplyRings? = nil) throws(AudioFileError) {
    let count = supply == nil ? DrumLanes.blockFrames : DrumLanes.initialLanes
    (lanes, primingNote) = try DrumLanes.load(soundFont, lanes: count)
    table = LaneTable(count: count)
    (self.supply, self.count, requested) = (supply, count, count)
    self.soundFont = soundFont
    rate = soundFont.rate
    let frames = DrumLanes.maximumPeriod + DrumLanes.overhang
    left = .allocate(capacity: frames)
    right = .allocate(capacity: frames)
    block = .allocate(capacity: 2 * DrumLanes.blockFrames)
    left.initialize(repeating: 0, count: frames)
    right.initialize(repeating: 0, count: frames)
    block.initialize(repeating: 0, count: 2 * DrumLanes.blockFrames)
    for lane in 0..<count { prime(lane) }
  }

  deinit {
    // The lanes that the supply has created, but that were not taken yet.
    var count = count
    while let lane = supply?.lanes.pop() {
      lanes[count] = lane.synthesizer
      count += 1
    }
    soundFont.deleteSynthesizers(lanes, count: count)
    left.deallocate()
    right.deallocate()
    block.deallocate()
  }

  /// Plays a hit whose first frame is `frame`.
  ///
  /// - Parameters:
  ///   - note: The General MIDI drum, 0...127.
  ///   - velocity: 1...127.
  ///   - group: The cut-off group, 1...8, or 0 for none.
  ///   - frame: In `position..<position + maximumPeriod`, and not before the frame of an earlier hit.
  ///
  /// - Returns: false, without an effect, if a parameter is out of range, or if the hits on this frame use all lanes.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func strike(_ note: UInt8, velocity: UInt8, group: UInt8 = 0, at frame: Int64) -> Bool {
    guard note < 128, velocity > 0, velocity < 128, group <= Self.groupCount else { return false }
    guard let lane = prepareLane(at: frame) else { return false }
    let channel = Self.channel(of: group)
    if group > 0 { silence(channel: channel) }
    start(note, velocity: velocity, channel: channel, in: lane, at: frame)
    return true
  }

  /// Renders the blocks before `frame`, and returns a lane for a hit or a note at `frame`. Nil if the frame is out of range, or if
  /// the hits at this frame use all lanes.
  @_noLocks @_noAllocation
  mutating func prepareLane(at frame: Int64) -> Int? {
    guard frame >= renderedEnd, frame &- position < Int64(Self.maximumPeriod) else { return nil }
    renderBlocks(before: frame)
    return selectLane(for: frame)
  }

  /// Starts a note in `lane`, which ``prepareLane(at:)`` has returned for `frame`.
  @_noLocks @_noAllocation
  mutating func start(_ note: UInt8, velocity: UInt8, channel: Int32, in lane: Int, at frame: Int64) {
    lane_note_on(lanes[lane], channel, Int32(note), Int32(velocity))
    table.strike(lane, at: frame)
    requestLanes()
    soundingChannels[lane] |= 1 &<< UInt16(channel)
    let used = lane_voices(lanes[lane])
    if used > usedSlots[lane] { usedSlots[lane] = used }
  }

  /// Renders the next frames, as many as both buffers hold, at most ``maximumPeriod``, and advances ``position``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(left leftFrames: inout MutableSpan<Float>, right rightFrames: inout MutableSpan<Float>) {
    takeLane()
    var count = leftFrames.count < rightFrames.count ? leftFrames.count : rightFrames.count
    if count > Self.maximumPeriod { count = Self.maximumPeriod }
    renderBlocks(before: position &+ Int64(count))
    var frame = 0
    while frame < count {
      leftFrames[frame] = left[frame]
      rightFrames[frame] = right[frame]
      frame += 1
    }
    advance(by: count)
  }

  /// Continues at `frame` after an underrun. Voices continue as if the missed frames had been played. If more than a second
  /// was missed, all voices end instead, because rendering the missed frames would take too long. A frame before
  /// ``position`` has no effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func skip(to frame: Int64) {
    guard frame > position else { return }
    let (gap, wraps) = frame.subtractingReportingOverflow(position)
    if !wraps && gap <= rate {
      while position < frame {
        let missed = frame &- position
        let count = missed < Int64(Self.maximumPeriod) ? Int(missed) : Self.maximumPeriod
        renderBlocks(before: position &+ Int64(count))
        advance(by: count)
      }
    } else {
      // Ends all voices and renders as many frames as the buffers hold, to discard all blocks that have begun.
      silence(channel: -1)
      renderBlocks(before: position &+ Int64(Self.maximumPeriod))
      advance(by: Self.maximumPeriod)
      (position, renderedEnd) = (frame, frame)
    }
  }

  /// Loads the samples of a program in the background, because a note of it will play soon.
  @_noLocks @_noAllocation
  mutating func prepare(_ program: UInt8) { requestedPrograms.request(program, from: supply) }

  /// Requests further lanes if few are idle.
  @_noLocks @_noAllocation
  private mutating func requestLanes() {
    guard let supply else { return }
    let needed = table.active.nonzeroBitCount &+ Self.spareLanes
    guard requested < needed, requested < Self.blockFrames else { return }
    while requested < needed, requested < Self.blockFrames, supply.requests.push(.lane) { requested &+= 1 }
    supply.bell.ring()
  }

  /// Takes a new lane, if the supply has created one. Called once per period, because it primes the lane.
  @_noLocks @_noAllocation
  private mutating func takeLane() {
    guard let supply, let lane = supply.lanes.pop() else { return }
    lanes[count] = lane.synthesizer
    table.add(count)
    count &+= 1
    prime(count &- 1)
  }

  /// The zero-based MIDI channel of `group`. Group 0 uses 9, the General MIDI drum channel (channel 10 in one-based
  /// numbering). Group g uses g - 1.
  @_noLocks @_noAllocation
  static func channel(of group: UInt8) -> Int32 { group == 0 ? 9 : Int32(group) &- 1 }

  /// Advances ``position`` by `count` frames, which must be rendered. Moves the frames after them to the start of the
  /// buffers and clears the rest.
  @_noLocks @_noAllocation
  private mutating func advance(by count: Int) {
    let used = Int(truncatingIfNeeded: renderedEnd &- position) &+ Self.overhang
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
