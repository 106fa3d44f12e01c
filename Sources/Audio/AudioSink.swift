/// Where the sound goes.
public enum AudioSink: Sendable {
  /// Nowhere: hits are taken, counted and forgotten.
  case none
  /// Into a recording.
  case wav(WAVOutput)
}
