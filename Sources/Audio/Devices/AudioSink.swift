public import MusicalTime

/// The destination of the sound.
public enum AudioSink: Sendable {
  /// No output: hits are counted and discarded.
  case none
  /// A recording.
  case wav(WAVOutput)
  /// A sound card, which the audio thread owns from then on. `latency` is the delay after the device that the device does
  /// not report, such as Bluetooth. Hits are played earlier by this duration.
  case card(PCMDevice, latency: Nanoseconds)
}
