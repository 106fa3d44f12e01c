/// One fault in a patch file, with its position and a remedy.
///
/// Real-time: not safe.
public struct PatchFault: Hashable, Sendable, CustomStringConvertible {
  /// The name of the file, as passed to the loader.
  public let file: String
  /// The line in the file, counted from 1.
  public let line: Int
  /// The column in the line, counted from 1 in Unicode scalars.
  public let column: Int
  /// The field, as a path from the top of the file: `play.from 40.snare`.
  /// Empty for a fault in the file as a whole.
  public let field: String
  /// The reason: what is wrong.
  public let reason: String
  /// The remedy: how to correct the fault.
  public internal(set) var remedy: String

  /// `street.yaml:14:12: play.always.snare: has 15 steps in bar 2, but 16 in bar 1; add 1`
  public var description: String {
    "\(file):\(line):\(column): \(field.isEmpty ? "" : field + ": ")\(reason); \(remedy)"
  }
}
