public import MusicalTime

/// The destination of the sound.
public enum AudioSink: Sendable {
  /// No output: hits are counted and discarded.
  case none
  /// A recording.
  case wav(WAVOutput)
  /// A sound card. After the audio thread has started, only this thread uses the card. `latency` is a delay after the card that the
  /// card does not report, such as the delay of Bluetooth. Hits are played earlier by this duration.
  case card(PCMDevice, latency: Nanoseconds)
}
