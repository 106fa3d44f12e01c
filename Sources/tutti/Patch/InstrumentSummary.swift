import Rhythm

/// The JSON form of an instrument.
struct InstrumentSummary: Encodable {
  var kind = PatchKind.instrument.rawValue
  var name: String
  var description: String
  var sound: String
  /// The General MIDI program, counted from 1.
  var program: Int
  var scale: String
  var range: String
  var keys: [UInt8]
  /// The figure without spaces; nil for a free instrument, which has no figure.
  var figure: String?
  var pitch: String
  var density: String?
  var brightness: String?
  var loudness: String
  var grid: String
  /// The tolerance for late notes, in percent of the grid.
  var late: UInt8
  var length: String

  init(named name: String, _ instrument: Instrument) {
    self.name = name
    description = instrument.description
    sound = instrument.sound
    program = Int(instrument.program) + 1
    scale = instrument.scaleName
    range = instrument.rangeName
    keys = instrument.keys
    figure = instrument.figure?.text
    pitch = instrument.pitch.name
    density = instrument.figure.map { _ in instrument.density.name }
    brightness = instrument.brightness?.name
    loudness = instrument.loudness.name
    grid = instrument.quantizer.grid.name
    late = instrument.quantizer.tolerance
    length = instrument.length.name
  }
}

/// The JSON form of a rhythm or of an instrument. The field `kind` distinguishes them.
enum PatchFileSummary: Encodable {
  case rhythm(PatchSummary)
  case instrument(InstrumentSummary)

  init(named name: String, _ file: PatchFile) {
    switch file {
    case .rhythm(let patch): self = .rhythm(PatchSummary(named: name, patch))
    case .instrument(let instrument): self = .instrument(InstrumentSummary(named: name, instrument))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .rhythm(let summary): try summary.encode(to: encoder)
    case .instrument(let summary): try summary.encode(to: encoder)
    }
  }
}
