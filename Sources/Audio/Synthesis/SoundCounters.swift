public import MusicalTime

/// What became of the hits and of the frames, since the start.
public struct SoundCounters: Hashable, Sendable, BitwiseCopyable {
  /// Hits struck, the late ones among them.
  public var hits: Int64 = 0
  /// Hits that came too late for their frame and sounded at the first frame that was left.
  public var late: Int64 = 0
  /// How late the latest of them sounded.
  public var maximumLateness: Nanoseconds = .zero
  /// Hits not struck: more than a second late, no room for them, nothing a drum kit can play, or no sound card there when
  /// they fell due.
  public var dropped: Int64 = 0
  /// Messages obeyed: notes, controllers and their like.
  public var messages: Int64 = 0
  /// Notes not begun: more than a second late, or no sound card there. Where more messages came than there was room for,
  /// that is one, whose notes ended with all that sounded.
  public var droppedNotes: Int64 = 0
  /// How often a sound card ran out of frames, or would have, so late came the audio thread.
  public var underruns: Int64 = 0
  /// Frames of silence: in a recording, where the audio thread stayed away for longer than ``NominalDevice/patience``; of a
  /// sound card, where it had run empty or was suspended, until it played again.
  public var silentFrames: Int64 = 0
  /// Frames rendered that the recording could not take, because its disk was too slow; they are silence there.
  public var lostFrames: Int64 = 0
  /// Samples of the recording that lay outside full scale.
  public var clippedSamples: Int64 = 0

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}
}
