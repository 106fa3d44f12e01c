/// A syntax error in a gate rule, with its remedy.
///
/// Real-time: not safe.
public struct GateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line number, counted from 1; nil for a rule that is not from a file.
  public let line: Int?
  /// The text of the rule.
  public let rule: String
  /// What is wrong.
  public let reason: String
  /// How to correct the rule.
  public let remedy: String

  /// `line 3: gate "notes=shut": "shut" is neither open nor closed; write =open or =closed at its end`
  public var description: String {
    (line.map { "line \($0): " } ?? "") + "gate \"\(rule)\": \(reason); \(remedy)"
  }
}
