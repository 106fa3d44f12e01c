import CFluidSynth
public import MIDI

/// A General MIDI synthesizer with sixteen channels for the notes of the players. Channel 10 is drums. Channel 1 is silent,
/// because it carries only activity between peers. Each other channel begins with a different instrument
/// (``ChannelSynthesizer/defaultProgram(of:)``).
///
/// FluidSynth starts voices on its own blocks of 64 frames. Here, up to twelve FluidSynth instances (lanes) share one SoundFont, as in
/// ``DrumLanes``. A peer begins with four. A ``SoundSupply`` creates another one when fewer than two are idle. A note begins on its exact frame in a lane without voices, whose next block can begin at any frame. Notes on
/// the same frame share a lane. If all lanes sound, the note goes to the lane whose next
/// block begins soonest, and begins with that block.
///
/// Portamento Control (84) goes to lane 0 only. All other messages except Note On go to all lanes, so that all lanes are in the same
/// state. These messages take effect with the next block of each lane, at most 63 frames late. The blocks of a lane begin at
/// multiples of 64 frames from the first note after the lane was idle. Therefore a note that begins in an idle lane ends on the same
/// frame relative to its beginning on all devices.
///
/// Lane 0 plays all notes that depend on earlier notes of their channel: the drums, whose hits cut each other off, and the notes of
/// channels with portamento or legato.
///
/// If ``maximumVoices`` or more voices sound, the lane whose last note is the oldest ends its voices for a new note.
///
/// The value has one owner, so one thread at a time uses it.
public struct ChannelSynthesizer: ~Copyable, @unchecked Sendable {
  /// If at least this many voices sound in all lanes together, a new note ends older notes. General MIDI requires at least 24 voices.
  ///
  /// Real-time: safe.
  public static var maximumVoices: Int32 { @_noLocks @_noAllocation get { 128 } }
  /// The maximum number of lanes, and their number at the start if there is a supply.
  private static var laneCount: Int { @_noLocks @_noAllocation get { 12 } }
  private static var initialLanes: Int { @_noLocks @_noAllocation get { 4 } }
  /// If fewer lanes are idle, another one is requested.
  private static var spareLanes: Int { @_noLocks @_noAllocation get { 2 } }

  /// The FluidSynth gain. With this value, the peak of a note at velocity 100 differs from a quarter of full scale by at most 6 dB,
  /// while drums reach full scale.
  private static let gain = 1.25

  /// The first frame that has not been rendered.
  ///
  /// Real-time: safe.
  public private(set) var position: Int64 = 0

  // Invariants: `synthesizers` has room for 12 synthesizers, and `blocks` for their blocks of 128 samples each. The first `count`
  // synthesizers, which are those of the first `count` lanes, live until deinit. The other lanes are not used.
  let synthesizers: UnsafeMutablePointer<OpaquePointer>
  private(set) var count: Int
  private let blocks: UnsafeMutablePointer<Float>
  /// Nil if all samples are in memory.
  private let supply: SupplyRings?
  private var requestedPrograms = RequestedPrograms()
  private let soundFont: SoundFont
  private let rate: Int64
  private var lanes: InlineArray<12, ChannelLane>
  /// The number of lanes that exist or were requested.
  private var requested: Int
  /// What a new lane has missed.
  private var settings = LaneSettings()
  /// The channels whose notes lane 0 plays, because each note depends on the earlier ones.
  private var firstLaneNotes = FirstLaneNotes()
  /// For each lane, the frame of its last note.
  private var lastNotes = InlineArray<12, Int64>(repeating: .min)

  /// Creates a synthesizer with the instruments of a shared SoundFont. For a missing instrument, FluidSynth uses the first
  /// one of the SoundFont.
  ///
  /// - Parameter supply: Where the samples of other programs than ``defaultPrograms`` come from. Nil if they are in memory.
  ///
  /// Real-time: not safe.
  init(_ soundFont: SoundFont, supply: SupplyRings? = nil) {
    (self.soundFont, self.supply) = (soundFont, supply)
    rate = soundFont.rate
    let count = supply == nil ? Self.laneCount : Self.initialLanes
    let synthesizers = soundFont.makeSynthesizers(
      count, capacity: Self.laneCount, polyphony: ChannelLane.polyphony, gain: Self.gain)
    let length = 2 * ChannelLane.blockFrames
    let blocks = UnsafeMutablePointer<Float>.allocate(capacity: Self.laneCount * length)
    blocks.initialize(repeating: 0, count: Self.laneCount * length)
    lanes = InlineArray { ChannelLane(synthesizers[$0 < count ? $0 : 0], block: blocks + $0 * length) }
    (self.synthesizers, self.blocks, self.count, requested) = (synthesizers, blocks, count, count)
    for lane in 0..<count { Self.setUp(synthesizers[lane]) }
  }

  /// Creates another synthesizer like `synthesizer`, which may be in use on another thread.
  static func makeLane(like synthesizer: OpaquePointer, _ soundFont: SoundFont) -> OpaquePointer {
    let new = soundFont.makeSynthesizer(like: synthesizer)
    setUp(new)
    return new
  }

  /// Prepares a new synthesizer: the controller Brightness, and the initial programs.
  private static func setUp(_ synthesizer: OpaquePointer) {
    addBrightness(to: synthesizer)
    for number in 1...16 {
      guard let channel = Channel(number) else { continue }
      lane_program(synthesizer, Int32(channel.wire), Int32(defaultProgram(of: channel).value))
    }
  }

  deinit {
    // The lanes that the supply has created, but that were not taken yet.
    var count = count
    while let lane = supply?.channelLanes.pop() {
      synthesizers[count] = lane.synthesizer
      count += 1
    }
    soundFont.deleteSynthesizers(synthesizers, count: count)
    blocks.deallocate()
  }

  /// Plays `message` at ``position``. A note begins on this frame if its lane can begin a block there, for example because the
  /// lane has no voices. Every other message takes effect with the next block of each lane.
  ///
  /// - Returns: false, without an effect, if the next blocks accept no more messages. Try again 64 frames later.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(_ message: Message) -> Bool {
    guard let channel = message.channel else { return true }
    // FluidSynth glides to the next note of the lane, so only one lane may get Portamento Control (84).
    if case .controlChange(_, let controller, _) = message, controller.value == 84 {
      guard lanes[0].accepts(message) else { return false }
      lanes[0].play(message)
      firstLaneNotes.glide(on: channel)
      return true
    }
    guard message.startsNote else {
      guard acceptsEverywhere(message) else { return false }
      if case .programChange(_, let program) = message { requestedPrograms.request(program.value, from: supply) }
      firstLaneNotes.update(with: message)
      settings.record(message)
      var lane = 0
      while lane < count {
        lanes[lane].play(message)
        lane += 1
      }
      return true
    }
    return start(message, on: channel)
  }

  /// Starts a note in one lane. An earlier note of the same channel and key ends, even if it sounds in another lane. In
  /// the chosen lane, FluidSynth itself ends the earlier note.
  @_noLocks @_noAllocation
  private mutating func start(_ message: Message, on channel: Channel) -> Bool {
    guard let key = message.key else { return false }
    let end = Message.noteOff(channel, key: key, velocity: UInt7(masking: 64))
    guard acceptsEverywhere(end), let chosen = lane(for: message, on: channel) else { return false }
    var lane = 0
    while lane < count {
      if lane != chosen, !lanes[lane].isIdle { lanes[lane].play(end) }
      lane += 1
    }
    endOldestNotes(otherThan: chosen)
    lanes[chosen].play(message)
    lastNotes[chosen] = position
    firstLaneNotes.noteBegan(on: channel)
    requestLane()
    return true
  }

  /// Requests another lane if few are idle.
  @_noLocks @_noAllocation
  private mutating func requestLane() {
    guard let supply, requested < Self.laneCount else { return }
    var (idle, lane) = (requested &- count, 0)
    while lane < count {
      if lanes[lane].isIdle { idle += 1 }
      lane += 1
    }
    guard idle < Self.spareLanes, supply.requests.push(.channelLane) else { return }
    requested += 1
    supply.bell.ring()
  }

  /// Takes a new lane, if the supply has created one.
  @_noLocks @_noAllocation
  private mutating func takeLane() {
    guard let supply, let lane = supply.channelLanes.pop() else { return }
    synthesizers[count] = lane.synthesizer
    lanes[count] = ChannelLane(lane.synthesizer, block: blocks + count &* 2 &* ChannelLane.blockFrames)
    settings.send(to: &lanes[count])
    count += 1
  }

  /// Whether the next block of each lane accepts `message`.
  @_noLocks @_noAllocation
  private func acceptsEverywhere(_ message: Message) -> Bool {
    var lane = 0
    while lane < count {
      if !lanes[lane].accepts(message) { return false }
      lane += 1
    }
    return true
  }

  /// Returns the lane for a note: lane 0 for a channel of ``firstLaneNotes``. For another channel, in the order of preference: a
  /// sounding lane whose next block begins now, an idle lane, the lane whose next block begins first. Nil if no such lane accepts
  /// the note.
  @_noLocks @_noAllocation
  private func lane(for note: Message, on channel: Channel) -> Int? {
    if firstLaneNotes.contains(channel) { return lanes[0].accepts(note) ? 0 : nil }
    var best: Int?
    var lowestCost = Int.max
    var lane = 0
    while lane < count {
      if lanes[lane].accepts(note) {
        // The lane with the lowest cost is chosen. The cost is 0 for a block of a sounding lane that begins now, 1 for an idle lane, and
        // otherwise twice the number of frames until the next block.
        let cost = lanes[lane].isIdle ? 1 : 2 &* lanes[lane].framesToBlock
        if cost < lowestCost { (best, lowestCost) = (lane, cost) }
      }
      lane += 1
    }
    return best
  }

  /// The number of voices that sound. Real-time: safe.
  var voices: Int32 {
    @_noLocks @_noAllocation get {
      var sum: Int32 = 0
      var lane = 0
      while lane < count {
        sum = sum &+ lanes[lane].voices
        lane += 1
      }
      return sum
    }
  }

  /// If ``maximumVoices`` or more voices sound, ends the voices of one lane. `lane` gets the new note and is excluded. Of
  /// the other lanes, this is the one whose last note is the oldest.
  @_noLocks @_noAllocation
  private mutating func endOldestNotes(otherThan lane: Int) {
    guard voices >= Self.maximumVoices else { return }
    var oldest: Int?
    var other = 0
    while other < count {
      if other != lane, !lanes[other].isIdle {
        if let known = oldest { if lastNotes[other] < lastNotes[known] { oldest = other } } else { oldest = other }
      }
      other += 1
    }
    if let oldest { lanes[oldest].silence() }
  }

  /// Ends all voices with the next block of each lane, without a release phase.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func silence() {
    var lane = 0
    while lane < count {
      lanes[lane].silence()
      lane += 1
    }
  }

  /// Adds the next `end - start` frames to both buffers at indices `start..<end`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func mix(
    into left: inout MutableSpan<Float>, _ right: inout MutableSpan<Float>, from start: Int, to end: Int
  ) {
    takeLane()
    var lane = 0
    while lane < count {
      lanes[lane].mix(into: &left, &right, from: start, to: end)
      lane += 1
    }
    position = position &+ Int64(end &- start)
  }

  /// Continues at `frame` after an underrun. Voices continue as if the missed frames had been played. If more than a second
  /// was missed, all voices end instead. A frame before ``position`` has no effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func skip(to frame: Int64) {
    guard frame > position else { return }
    let (gap, wraps) = frame.subtractingReportingOverflow(position)
    position = frame
    guard wraps || gap > rate else {
      var lane = 0
      while lane < count {
        lanes[lane].skip(gap)
        lane += 1
      }
      return
    }
    silence()
    discardBlock()
  }

  /// Renders a block of each lane and discards it. The pending messages take effect, and the next blocks accept messages again.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func discardBlock() {
    var lane = 0
    while lane < count {
      lanes[lane].discardBlock()
      lane += 1
    }
  }
}
