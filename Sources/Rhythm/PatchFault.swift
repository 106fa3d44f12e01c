/// One thing wrong with a patch file, where it stands and how to mend it.
public struct PatchFault: Hashable, Sendable, CustomStringConvertible {
  /// The file, as the caller of the loader named it.
  public let file: String
  /// Line in the file, counted from 1.
  public let line: Int
  /// Column in the line, counted from 1 in Unicode scalars.
  public let column: Int
  /// The field, as a path from the top of the file: `layers[1].steps.snare`, the first element of a list being 0.
  /// Empty when it is the file as a whole.
  public let field: String
  /// What is wrong.
  public let reason: String
  /// What to do about it.
  public let remedy: String

  /// `street.yaml:14: layers[1].steps.snare: has 15 steps, the pattern has 16; add 1`
  public var description: String {
    "\(file):\(line): \(field.isEmpty ? "" : field + ": ")\(reason); \(remedy)"
  }
}
