import CFluidSynth
import MIDI

/// One FluidSynth instance of a ``ChannelSynthesizer``.
///
/// While no voice sounds, no block is rendered, and the next block begins at the frame of the next note. While a voice sounds, blocks
/// follow each other without a gap, and a message takes effect with the next block, at most 63 frames late.
///
/// Until the next block is rendered, FluidSynth keeps the parameter changes of its voices in a ring. The ring holds 64
/// changes per voice of the maximum polyphony. Changes that do not fit are lost, and a lost Note Off leaves a note that
/// never ends. Therefore a block accepts messages only up to half of this capacity.
struct ChannelLane: BitwiseCopyable {
  /// The maximum number of voices. A new voice replaces the oldest voice.
  static var polyphony: Int32 { @_noLocks @_noAllocation get { 32 } }
  /// The frames per block.
  static var blockFrames: Int { @_noLocks @_noAllocation get { 64 } }
  /// The maximum number of parameter changes per block: half the capacity of the FluidSynth ring.
  private static var maximumChanges: Int32 { @_noLocks @_noAllocation get { 32 &* polyphony } }

  // Invariants: `block` holds 64 frames of the left and 64 of the right channel. The synthesizer and the block belong to the
  // ``ChannelSynthesizer`` and live as long as it. `consumed` frames of the block have been delivered. `isSounding` is true
  // whenever there are voices. `pendingChanges` is an upper bound of the number of changes in the FluidSynth ring.
  private let synthesizer: OpaquePointer
  private let block: UnsafeMutablePointer<Float>
  private var consumed = ChannelLane.blockFrames
  private var isSounding = false
  private var pendingChanges: Int32 = 0

  @_noLocks @_noAllocation
  init(_ synthesizer: OpaquePointer, block: UnsafeMutablePointer<Float>) {
    (self.synthesizer, self.block) = (synthesizer, block)
  }

  /// Whether no voice sounds and the last block has been delivered.
  var isIdle: Bool { @_noLocks @_noAllocation get { !isSounding && consumed == Self.blockFrames } }

  /// The number of frames until the next block can begin.
  var framesToBlock: Int { @_noLocks @_noAllocation get { Self.blockFrames &- consumed } }

  /// The number of voices.
  var voices: Int32 { @_noLocks @_noAllocation get { lane_voices(synthesizer) } }

  /// Whether the next block accepts `message`.
  @_noLocks @_noAllocation
  func accepts(_ message: Message) -> Bool {
    pendingChanges &+ Self.changeBound(of: message, voices: lane_voices(synthesizer)) <= Self.maximumChanges
  }

  /// Plays `message` with the next block. ``accepts(_:)`` must have returned true for the message.
  @_noLocks @_noAllocation
  mutating func play(_ message: Message) {
    let voices = lane_voices(synthesizer)
    let bound = Self.changeBound(of: message, voices: voices)
    Self.send(message, to: synthesizer)
    let started = lane_voices(synthesizer) &- voices
    isSounding = started &+ voices > 0
    if !isSounding {
      // Without voices there are no changes.
      pendingChanges = 0
    } else if case .noteOn = message, started &+ voices < Self.polyphony {
      // The number of started voices is known. The changes of these voices, plus one change in each earlier voice, are a tighter
      // upper bound than `bound`.
      pendingChanges = pendingChanges &+ started &* Self.changesPerVoiceStart &+ voices
    } else {
      // At full polyphony, `started` may be too small, because new voices may have replaced old ones.
      pendingChanges = pendingChanges &+ bound
    }
  }

  /// Ends all voices with the next block, without a release phase.
  @_noLocks @_noAllocation
  mutating func silence() {
    // FluidSynth makes one change per voice. These changes fit into the half of the ring that `accepts` keeps free. Channel -1 means
    // all channels.
    lane_silence(synthesizer, -1)
  }

  /// Adds the next `end - start` frames to both buffers at indices `start..<end`.
  @_noLocks @_noAllocation
  mutating func mix(
    into left: inout MutableSpan<Float>, _ right: inout MutableSpan<Float>, from start: Int, to end: Int
  ) {
    var frame = start
    while frame < end, prepareBlock() {
      left[frame] += block[consumed]
      right[frame] += block[Self.blockFrames &+ consumed]
      consumed += 1
      frame += 1
    }
  }

  /// Discards the next `count` frames.
  @_noLocks @_noAllocation
  mutating func skip(_ count: Int64) {
    var missed = count
    while missed > 0, prepareBlock() {
      consumed += 1
      missed -= 1
    }
  }

  /// Renders a block and discards it. The pending messages take effect, and the next block accepts messages again.
  @_noLocks @_noAllocation
  mutating func discardBlock() {
    guard isSounding || consumed < Self.blockFrames else { return }
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
    lane_render(synthesizer, Int32(Self.blockFrames), block, block + Self.blockFrames)
    consumed = 0
    pendingChanges = 0
    isSounding = lane_voices(synthesizer) > 0
  }
}
