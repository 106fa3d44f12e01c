import MusicalTime
public import Rhythm

/// A phrase that the local player is recording.
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
    /// The phrase, and the number of played notes that it does not contain, because it is full.
    case phrase(Phrase, omitted: Int)
    /// The player has played no note.
    case empty
    /// The rhythm has ended or jumped before.
    case interrupted
  }

  /// The time after the end of the phrase in which notes can still be recorded. The network thread reports notes with a delay.
  static var patience: Nanoseconds { .milliseconds(50) }

  var recorder: PhraseRecorder
  /// The run of the rhythm.
  let run: UInt32
}
