import MusicalTime
public import Rhythm

/// A phrase, a melody on the steps of the rhythm, that the local player is recording.
public struct PhraseRecording: Sendable {
  /// Why a recording cannot begin.
  public enum Failure: Error, Hashable, Sendable {
    /// No rhythm plays.
    case noRhythm
    /// The phrase would be longer than this number of bars.
    case tooLong(maximum: Int)
  }

  /// How a recording has ended.
  public enum Result: Hashable, Sendable {
    /// The phrase, and the number of played notes that were omitted because the phrase was full.
    case phrase(Phrase, omitted: Int)
    /// The player has played no note.
    case empty
    /// The rhythm ended, or its position jumped, before the end of the phrase.
    case interrupted
  }

  /// The time after the end of the phrase in which notes can still be recorded. The network thread reports notes with a delay.
  static var patience: Nanoseconds { .milliseconds(50) }

  var recorder: PhraseRecorder
  /// The number of the run in which the recording began (`PlaybackSchedule.run`).
  let run: UInt32
}
