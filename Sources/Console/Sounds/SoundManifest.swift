/// The payload of a frame ``FrameKind/sounds``: where the samples are.
struct SoundManifest: Encodable {
  struct Sample: Encodable {
    /// The path of a WAV file.
    var path: String
    /// The factor of the samples that gives the loudness at velocity 127.
    var gain: Float
  }

  struct Tone: Encodable {
    /// The key that was sampled.
    var key: Int
    var sample: Sample
  }

  /// The samples of the drums by note number.
  var drums: [String: Sample] = [:]
  /// The samples of each General MIDI program, by ascending keys.
  var tones: [String: [Tone]] = [:]
  var instruments = PageInstrument.all
  /// Why there are no sounds; nil if there are.
  var failure: String?
}
