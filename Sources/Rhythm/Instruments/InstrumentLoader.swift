/// Reads instruments from YAML.
///
///     name: tilt harp
///     description: A harp figure that climbs when you tilt forward.
///     sound: harp
///     scale: D minor pentatonic, D3..D6
///     figure: x.xx x.x.        # without this field: one note per action
///     pitch: tilt forward
///     brightness: tilt sideways
///     loudness: force
///     grid: 1/16, late 40%
///
/// <doc:Instruments> describes all fields and limits.
public enum InstrumentLoader {
  /// Reads an instrument from `text`.
  ///
  /// The text may come from an untrusted source. For every input, the result is an instrument or a list of faults, and the time
  /// and the memory are bounded. The limits of ``PatchLoader`` apply.
  ///
  /// - Parameters:
  ///   - text: the contents of the file.
  ///   - file: the name of the file for the descriptions of faults.
  /// - Throws: ``PatchError`` with every fault found, each with its line, field, reason and remedy.
  ///
  /// Real-time: not safe.
  public static func instrument(from text: String, file: String) throws(PatchError) -> Instrument {
    var reader = PatchReader(file: file, kind: .instrument)
    let instrument = reader.root(of: text).flatMap { reader.instrument($0) }
    guard let instrument, reader.faults.isEmpty else { throw reader.error }
    return instrument
  }
}
