/// Reads patches from YAML.
///
///     name: street
///     description: A straight groove.
///     meter: 4/4
///     bars: 1
///     tempo: 100
///     kit:
///       kick: { note: 36 }
///       closed hat: { note: 42, group: hats }
///     layers:
///       - name: pulse
///         activity: [0]              # from, to; without to: up to 127
///         steps:                     # . rest, o soft, x normal, X accent; spaces and | only for the eye
///           kick:       X... .... x... ....
///           closed hat: "x.o. x.o. | x.o. x.o."
///
/// All fields except `group` are required. Limits: 4 bars, 64 steps, 32 voices, 8 cut-off groups, 32 layers, 512 hits.
public enum PatchLoader {
  /// The longest accepted text, in bytes of UTF-8: 256 KiB, a hundred times the size of a long patch.
  public static let maximumBytes = 262_144

  /// Reads a patch from `text`.
  ///
  /// The text may come from any source: for every input, the result is a patch or a list of faults, after bounded work.
  ///
  /// - Parameters:
  ///   - text: the contents of the file.
  ///   - file: the name of the file for the descriptions of faults.
  /// - Throws: ``PatchError`` with every fault found, each with its line, field, reason and remedy. Invalid YAML is one
  ///   fault, because nothing after it can be interpreted.
  ///
  /// Real-time: not safe.
  public static func patch(from text: String, file: String) throws(PatchError) -> Patch {
    var reader = PatchReader(file: file)
    let patch = reader.root(of: text).flatMap { reader.patch($0) }
    guard let patch, reader.faults.isEmpty else { throw reader.error }
    return patch
  }
}
