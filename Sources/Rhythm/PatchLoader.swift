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
/// Every field but `group` is required. Limits: 4 bars, 64 steps, 32 voices, 8 cut-off groups, 32 layers, 512 hits.
public enum PatchLoader {
  /// The longest text that is read, in bytes of UTF-8: 256 KiB, a hundred times a long patch.
  public static let mostBytes = 262_144

  /// The patch that `text` describes. `file` is what its faults call it.
  ///
  /// The text may come from anywhere: whatever it holds, the answer is a patch or a list of faults, after bounded work.
  ///
  /// - Throws: ``PatchError`` with every fault found, each with its line, field, reason and remedy. Broken YAML is one
  ///   fault, since nothing after it can be trusted.
  ///
  /// Real-time: not safe.
  public static func patch(from text: String, file: String) throws(PatchError) -> Patch {
    var reader = PatchReader(file: file)
    let patch = reader.root(of: text).flatMap { reader.patch($0) }
    guard let patch, reader.faults.isEmpty else { throw reader.error }
    return patch
  }
}
