/// The payload of the WebSocket message ``FrameKind/sounds``: the paths of the samples, and the instruments of the page.
struct SoundManifest: Encodable {
  /// A sample, which the page loads by HTTP.
  struct Sample: Encodable {
    /// The path of a WAV file.
    var path: String
    /// The factor by which the page multiplies the samples to get the loudness at velocity 127.
    var gain: Float
  }

  /// A sampled key of a General MIDI program.
  struct Tone: Encodable {
    /// The key that was sampled.
    var key: Int
    var sample: Sample
  }

  /// The samples of the drums. The key of the dictionary is the note number, 0...127.
  var drums: [String: Sample] = [:]
  /// The samples of each General MIDI program, in ascending order of their MIDI keys. The key of the dictionary is the number of the
  /// program, 0...127.
  var tones: [String: [Tone]] = [:]
  var instruments = PageInstrument.all
  /// The reason why there are no sounds; nil if there are sounds.
  var failure: String?
}
