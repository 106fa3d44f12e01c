public import MusicalTime

/// Where the sound goes.
public enum AudioSink: Sendable {
  /// Nowhere: hits are taken, counted and forgotten.
  case none
  /// Into a recording.
  case wav(WAVOutput)
  /// To a sound card, which from then on belongs to the audio thread. `latency` is what comes after the device and what
  /// it does not know of, such as Bluetooth: hits are played that much earlier.
  case card(PCMDevice, latency: Nanoseconds)
}
