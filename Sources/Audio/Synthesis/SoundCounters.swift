public import MusicalTime

/// Counters of hits, messages and frames since the start.
public struct SoundCounters: Hashable, Sendable, BitwiseCopyable {
  /// Hits (drum strokes and notes of pitched parts) that were played, including late hits.
  public var hits: Int64 = 0
  /// Hits submitted too late for their frame, which sounded on the first possible frame.
  public var late: Int64 = 0
  /// The maximum lateness of a late hit.
  public var maximumLateness: Nanoseconds = .zero
  /// Hits not played: more than a second late, ring or queue full, parameters out of range, all lanes in use, or no sound card
  /// present when the hit was due. Messages that did not fit into their ring are counted here, too.
  public var dropped: Int64 = 0
  /// Messages played: notes, controllers and so on.
  public var messages: Int64 = 0
  /// Notes not started: more than a second late, or no sound card present. An overflow of the ring or of the message queue,
  /// which ends all notes, counts as one.
  public var droppedNotes: Int64 = 0
  /// How often a sound card ran out of frames, or how often the audio thread of a recording was so late that a sound card
  /// would have run out of frames.
  public var underruns: Int64 = 0
  /// Frames of silence. In a recording: frames missed because the audio thread was late by
  /// ``NominalDevice/maximumLateness`` or more. On a sound card: the frames missed during an underrun or a suspend, until
  /// playback continued.
  public var silentFrames: Int64 = 0
  /// Rendered frames that the recording does not contain: the disk was too slow, so they became silence, or the recording had stopped
  /// after an error.
  public var lostFrames: Int64 = 0
  /// Samples of the recording that were outside full scale.
  public var clippedSamples: Int64 = 0

  /// Creates counters of zero.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}
}
