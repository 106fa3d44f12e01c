import Audio

/// The connections from the clock thread and the network thread to the audio threads.
struct SoundRings: Sendable, BitwiseCopyable {
  /// The events for the sound card; without a sound card, for the recording; without both, only to be counted.
  let first: SoundEvents
  /// The same events for the recording, if there are a sound card and a recording. Otherwise not used.
  let recording = SoundEvents()

  /// - Parameter reportsHits: whether the first audio thread reports its hits for the trace.
  init(reportsHits: Bool = false) { first = SoundEvents(reportsHits: reportsHits) }
}
