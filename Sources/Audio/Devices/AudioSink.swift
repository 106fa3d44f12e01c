public import MusicalTime

/// The destination of the sound.
public enum AudioSink: Sendable {
  /// No output: hits are counted and discarded.
  case none
  /// A recording.
  case wav(WAVOutput)
  /// A sound card. When the audio thread has started, only this thread uses it. `latency` is a delay after the device that the
  /// device does not report, such as the delay of Bluetooth. Hits are played earlier by this duration.
  case card(PCMDevice, latency: Nanoseconds)
}
