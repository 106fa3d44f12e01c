/// Reads rhythms from YAML. ``InstrumentLoader`` reads instruments.
///
///     name: shuffle
///     description: A shuffle with ghost notes.
///     tempo: 96
///     swing: 62%
///     feel: { snare: +8 ms, hat: -3 ms }
///     play:
///       always:
///         kick:  X... ..x. X... ....
///         snare: .... X... .... X...
///       from 40:
///         hat:   x.x. x.x. x.x. x.x.
///         snare: .o.. .... .o.o ....   # added to the snare of the layer above
///       from 84:
///         hat!:  xxxx xxxx xxxx xx..   # replaces the hat of the layer above
///     fill:
///       every: 8 bars
///       chance: 60%
///       snare:   .... .... oxox xXxX
///     chords: Dm7 | G7                 # with chords, a rhythm can have pitched parts
///     parts:
///       bass:
///         always:
///           root: X--- ..x- X--- ....
///
/// <doc:Patches> describes all fields and limits.
public enum PatchLoader {
  /// The longest accepted text, in bytes of UTF-8: 256 KiB, a hundred times the size of a long patch.
  public static let maximumBytes = 262_144

  /// Reads a patch from `text`.
  ///
  /// The text may come from an untrusted source. For every input, the result is a patch or a list of faults, and the time and
  /// the memory are bounded.
  ///
  /// - Parameters:
  ///   - text: the contents of the file.
  ///   - file: the name of the file for the descriptions of faults.
  /// - Throws: ``PatchError`` with every fault found, each with its line, field, reason and remedy. For invalid YAML, the error has only
  ///   one fault, because the text after the fault cannot be interpreted.
  ///
  /// Real-time: not safe.
  public static func patch(from text: String, file: String) throws(PatchError) -> Patch {
    var reader = PatchReader(file: file, kind: .rhythm)
    let patch = reader.root(of: text).flatMap { reader.patch($0, from: text) }
    guard let patch, reader.faults.isEmpty else { throw reader.error }
    return patch
  }
}
