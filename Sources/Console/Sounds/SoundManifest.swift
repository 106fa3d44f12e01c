/// The payload of a frame ``FrameKind/sounds``: the paths of the samples, and the instruments of the page.
struct SoundManifest: Encodable {
  /// A sample, which the page loads by HTTP.
  struct Sample: Encodable {
    /// The URL path of a WAV file.
    var path: String
    /// The URL path of a FLAC file with the same samples; nil if there is none.
    var flac: String?
    /// The factor by which the page multiplies the sample values to get the loudness of velocity 127.
    var gain: Float
  }

  /// A key of a General MIDI program for which there is a sample.
  struct Tone: Encodable {
    /// The MIDI key, 0...127.
    var key: Int
    var sample: Sample
    /// True if only instruments of the patch folders need the sample. A page loads it when its player chooses such an instrument. Otherwise
    /// nil.
    var isFurther: Bool?
  }

  /// The samples of the drums. The key of the dictionary is the General MIDI note, 0...127.
  var drums: [String: Sample] = [:]
  /// The samples of each General MIDI program, in ascending order of their MIDI keys. The key of the dictionary is the program, 0...127.
  var tones: [String: [Tone]] = [:]
  /// The six instruments of the page, and the instruments of the patch folders.
  var instruments: [PageInstrument]
  /// The reason why there are no sounds; nil if there are sounds.
  var failure: String?
}
