import Rhythm

/// The lines of a small valid instrument, with their numbers. The tests of faults replace some of these lines.
let smallInstrument = [
  "name: small",  // 1
  "description: A harp.",  // 2
  "sound: harp",  // 3
  "scale: D minor pentatonic, D3..D6",  // 4
  "figure: X.3x o.5x | x.3.",  // 5
  "pitch: tilt forward, 100..10",  // 6
  "density: activity",  // 7
  "brightness: tilt sideways",  // 8
  "loudness: force, 40..110",  // 9
  "grid: 1/8 triplets, late 30%",  // 10
  "length: 1/2",  // 11
]

/// The faults that the loader reports for an instrument with this text; empty if the instrument is valid.
func instrumentFaults(_ text: String) -> [String] {
  do throws(PatchError) {
    _ = try InstrumentLoader.instrument(from: text, file: "small.yaml")
    return []
  } catch {
    return error.faults.map(\.description)
  }
}

/// The faults of ``smallInstrument`` with some lines replaced. The keys are line numbers from 1 on. An empty replacement
/// removes the line.
func instrumentFaults(replacing lines: [Int: String]) -> [String] {
  instrumentFaults(
    smallInstrument.enumerated().compactMap { place, line in
      let line = lines[place + 1] ?? line
      return line.isEmpty ? nil : line
    }.joined(separator: "\n"))
}

/// An instrument with these fields after name, description and sound.
func makeInstrument(_ fields: String) throws -> Instrument {
  let head = "name: test\ndescription: A test.\nsound: harp\n"
  return try InstrumentLoader.instrument(from: head + fields, file: "test.yaml")
}
