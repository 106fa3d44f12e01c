import CFluidSynth
public import MIDI

/// Sixteen channels of General MIDI, for what players play: channel 10 is drums, channel 1, which carries activity alone
/// between peers, stays silent, and every other begins with an instrument of its own
/// (``ChannelSynthesizer/program(of:)``).
///
/// It is one FluidSynth, so notes begin on its blocks of 64 frames. When nothing sounds no block is rendered, and the
/// next one begins where a note asks for it; while something sounds a message counts from the next block on, at most 63
/// frames late.
///
/// Between a message and the block in which it counts, FluidSynth keeps what voices are to change in a ring, with room
/// for 64 changes of every voice there can be. What does not fit is lost, and a lost Note Off is a note that never ends.
/// So a block takes messages only up to half of that, which a dozen notes at once do not reach; those behind them wait
/// for the next block.
///
/// It has one owner, so one thread at a time uses it.
public struct ChannelSynthesizer: ~Copyable, @unchecked Sendable {
  /// How many voices there are for all channels; the oldest give way. General MIDI asks for 24.
  public static var voices: Int32 { @_noLocks @_noAllocation get { 64 } }

  /// A note at velocity 100 then reaches a tenth of full scale, give or take 6 dB, beside drums that reach a third.
  private static let gain = 0.5

  private static var blockFrames: Int { @_noLocks @_noAllocation get { 64 } }
  /// Changes a block may take: half of FluidSynth's room.
  private static var maximumChanges: Int32 { @_noLocks @_noAllocation get { 32 &* voices } }

  /// The first frame that has not been rendered yet.
  ///
  /// Real-time: safe.
  public private(set) var position: Int64 = 0

  // Invariants: `synthesizers` holds one, which lives from init to deinit, as does `block`: 64 frames of the left
  // channel and 64 of the right, of which `given` have been given. `isSounding` is true whenever there are voices.
  // `changes` is at least what waits in FluidSynth's ring.
  private let synthesizers: UnsafeMutablePointer<OpaquePointer>
  private let block: UnsafeMutablePointer<Float>
  private let soundFont: SoundFont
  private let rate: Int64
  private var given = ChannelSynthesizer.blockFrames
  private var isSounding = false
  private var changes: Int32 = 0

  /// The instruments of a SoundFont that others share. Where it lacks one, FluidSynth takes the first it has.
  ///
  /// Real-time: not safe.
  init(_ soundFont: SoundFont) {
    self.soundFont = soundFont
    rate = soundFont.rate
    synthesizers = soundFont.synthesizers(1, voices: Self.voices, gain: Self.gain)
    block = .allocate(capacity: 2 * Self.blockFrames)
    block.initialize(repeating: 0, count: 2 * Self.blockFrames)
    for number in 1...16 {
      guard let channel = Channel(number) else { continue }
      lane_program(synthesizers[0], Int32(channel.wire), Int32(Self.program(of: channel).value))
    }
  }

  deinit {
    soundFont.end(synthesizers, count: 1)
    block.deallocate()
  }

  /// Obeys `message` from the next block on.
  ///
  /// - Returns: false, and nothing has changed, when the next block takes no more: to be tried again 64 frames later.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(_ message: Message) -> Bool {
    let voices = lane_voices(synthesizers[0])
    let most = Self.changes(by: message, voices: voices)
    guard changes &+ most <= Self.maximumChanges else { return false }
    Self.send(message, to: synthesizers[0])
    let started = lane_voices(synthesizers[0]) &- voices
    // Without a voice there is none to change; when all are taken, old ones may have given way.
    isSounding = started &+ voices > 0
    if !isSounding {
      changes = 0
    } else if case .noteOn = message, started &+ voices < Self.voices {
      changes = changes &+ started &* Self.changesOfStart &+ voices
    } else {
      changes = changes &+ most
    }
    return true
  }

  /// Ends everything that sounds, without a tail, with the next block.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func silence() {
    // One change a voice, for which the other half has room.
    lane_silence(synthesizers[0], -1)
  }

  /// Adds the next frames to those of both buffers from `start` to before `end`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(
    to left: inout MutableSpan<Float>, _ right: inout MutableSpan<Float>, from start: Int, to end: Int
  ) {
    var frame = start
    while frame < end, prepareBlock() {
      left[frame] += block[given]
      right[frame] += block[Self.blockFrames &+ given]
      given += 1
      frame += 1
    }
    position = position &+ Int64(end &- start)
  }

  /// Goes on at `frame`, after an underrun, as ``DrumLanes/skip(to:)`` does: when more than a second is missing, what
  /// sounded ends.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func skip(to frame: Int64) {
    guard frame > position else { return }
    let (gap, wraps) = frame.subtractingReportingOverflow(position)
    position = frame
    if !wraps && gap <= rate {
      var rest = gap
      while rest > 0, prepareBlock() {
        given += 1
        rest -= 1
      }
    } else {
      silence()
      passBlock()
    }
  }

  /// Does what messages have asked for in a block that nobody hears, so that there is room for more.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func passBlock() {
    renderBlock()
    given = Self.blockFrames
  }

  /// Whether there is a frame to give: the rest of a block, or a new one while something sounds.
  @_noLocks @_noAllocation
  private mutating func prepareBlock() -> Bool {
    if given < Self.blockFrames { return true }
    guard isSounding else { return false }
    renderBlock()
    return true
  }

  @_noLocks @_noAllocation
  private mutating func renderBlock() {
    lane_render(synthesizers[0], Int32(Self.blockFrames), block, block + Self.blockFrames)
    given = 0
    changes = 0
    isSounding = lane_voices(synthesizers[0]) > 0
  }
}
