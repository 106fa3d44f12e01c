import CFluidSynth
public import MIDI

/// A General MIDI synthesizer with sixteen channels for the notes of the players. Channel 10 is drums. Channel 1 is silent,
/// because it carries only activity between peers. Each other channel begins with a different instrument
/// (``ChannelSynthesizer/defaultProgram(of:)``).
///
/// One FluidSynth instance plays all channels, so notes begin on its blocks of 64 frames. While no voice sounds, no block is
/// rendered, and the next block begins at the frame of the next note. While a voice sounds, a message takes effect with the
/// next block, at most 63 frames late.
///
/// Until the next block is rendered, FluidSynth keeps the parameter changes of its voices in a ring. The ring holds 64
/// changes per voice of the maximum polyphony. Changes that do not fit are lost, and a lost Note Off leaves a note that
/// never ends. Therefore a block accepts messages only up to half of this capacity, which a dozen simultaneous notes do not
/// reach. Further messages wait for the next block.
///
/// The value has one owner, so one thread at a time uses it.
public struct ChannelSynthesizer: ~Copyable, @unchecked Sendable {
  /// The maximum number of voices of all channels. A new voice replaces the oldest voice. General MIDI requires 24.
  public static var polyphony: Int32 { @_noLocks @_noAllocation get { 64 } }

  /// The FluidSynth gain. With this value, the peak of a note at velocity 100 is a quarter of full scale within 6 dB, while
  /// drums reach full scale.
  private static let gain = 1.25

  private static var blockFrames: Int { @_noLocks @_noAllocation get { 64 } }
  /// The maximum number of parameter changes per block: half the capacity of the FluidSynth ring.
  private static var maximumChanges: Int32 { @_noLocks @_noAllocation get { 32 &* polyphony } }

  /// The first frame that has not been rendered.
  ///
  /// Real-time: safe.
  public private(set) var position: Int64 = 0

  // Invariants: `synthesizers` holds one synthesizer, and `block` holds 64 frames of the left and 64 of the right channel.
  // Both live from init to deinit. `consumed` frames of the block have been delivered. `isSounding` is true whenever there
  // are voices. `pendingChanges` is an upper bound of the number of changes in the FluidSynth ring.
  //
  // An array of one synthesizer, because ``SoundFont`` creates and deletes arrays.
  private let synthesizers: UnsafeMutablePointer<OpaquePointer>
  private let block: UnsafeMutablePointer<Float>
  private let soundFont: SoundFont
  private let rate: Int64
  private var consumed = ChannelSynthesizer.blockFrames
  private var isSounding = false
  private var pendingChanges: Int32 = 0

  /// Creates a synthesizer with the instruments of a shared SoundFont. For a missing instrument, FluidSynth uses the first
  /// one of the SoundFont.
  ///
  /// Real-time: not safe.
  init(_ soundFont: SoundFont) {
    self.soundFont = soundFont
    rate = soundFont.rate
    synthesizers = soundFont.makeSynthesizers(1, polyphony: Self.polyphony, gain: Self.gain)
    block = .allocate(capacity: 2 * Self.blockFrames)
    block.initialize(repeating: 0, count: 2 * Self.blockFrames)
    Self.addBrightness(to: synthesizers[0])
    for number in 1...16 {
      guard let channel = Channel(number) else { continue }
      lane_program(synthesizers[0], Int32(channel.wire), Int32(Self.defaultProgram(of: channel).value))
    }
  }

  deinit {
    soundFont.deleteSynthesizers(synthesizers, count: 1)
    block.deallocate()
  }

  /// Plays `message` with the next block.
  ///
  /// - Returns: false, without an effect, if the next block accepts no more messages. Try again 64 frames later.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(_ message: Message) -> Bool {
    let voices = lane_voices(synthesizers[0])
    let bound = Self.changeBound(of: message, voices: voices)
    guard pendingChanges &+ bound <= Self.maximumChanges else { return false }
    Self.send(message, to: synthesizers[0])
    let started = lane_voices(synthesizers[0]) &- voices
    isSounding = started &+ voices > 0
    if !isSounding {
      // Without voices there are no changes.
      pendingChanges = 0
    } else if case .noteOn = message, started &+ voices < Self.polyphony {
      // The number of started voices is known, so this bound is lower than `bound`.
      pendingChanges = pendingChanges &+ started &* Self.changesPerVoiceStart &+ voices
    } else {
      // At full polyphony, `started` may be too small, because new voices may have replaced old ones.
      pendingChanges = pendingChanges &+ bound
    }
    return true
  }

  /// Ends all voices with the next block, without a release phase.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func silence() {
    // One change per voice. The half of the ring that `play` leaves unused has enough space. Channel -1 means all channels.
    lane_silence(synthesizers[0], -1)
  }

  /// Adds the next `end - start` frames to both buffers at indices `start..<end`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func mix(
    into left: inout MutableSpan<Float>, _ right: inout MutableSpan<Float>, from start: Int, to end: Int
  ) {
    var frame = start
    while frame < end, prepareBlock() {
      left[frame] += block[consumed]
      right[frame] += block[Self.blockFrames &+ consumed]
      consumed += 1
      frame += 1
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
    if !wraps && gap <= rate {
      var missed = gap
      while missed > 0, prepareBlock() {
        consumed += 1
        missed -= 1
      }
    } else {
      silence()
      discardBlock()
    }
  }

  /// Renders a block and discards it. The pending messages take effect, and the next block accepts messages again.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func discardBlock() {
    renderBlock()
    consumed = Self.blockFrames
  }

  /// Renders a block if the current one is consumed and a voice sounds. Returns whether the block has a frame to deliver;
  /// false means that no voice sounds.
  @_noLocks @_noAllocation
  private mutating func prepareBlock() -> Bool {
    if consumed < Self.blockFrames { return true }
    guard isSounding else { return false }
    renderBlock()
    return true
  }

  /// Renders the next block. All pending parameter changes take effect.
  @_noLocks @_noAllocation
  private mutating func renderBlock() {
    lane_render(synthesizers[0], Int32(Self.blockFrames), block, block + Self.blockFrames)
    consumed = 0
    pendingChanges = 0
    isSounding = lane_voices(synthesizers[0]) > 0
  }
}
