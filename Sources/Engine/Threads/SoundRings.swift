import Audio

/// The rings through which the clock thread and the network thread pass events to the audio threads.
struct SoundRings: Sendable, BitwiseCopyable {
  /// The events for the first audio thread. It plays them on the sound card. Without a sound card, it renders the recording. With neither,
  /// it only counts the events.
  let first: SoundEvents
  /// The same events for the recording, if the peer has both a sound card and a recording. Otherwise not used.
  let recording = SoundEvents()

  /// - Parameter reportsHits: whether the first audio thread reports its hits for the trace.
  init(reportsHits: Bool = false) { first = SoundEvents(reportsHits: reportsHits) }
}
