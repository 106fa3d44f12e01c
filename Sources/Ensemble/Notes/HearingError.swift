/// A syntax error in a rule of ``HearingChoices``, with its remedy.
///
/// Real-time: not safe.
public struct HearingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text of the rule.
  public let rule: String
  /// What is wrong.
  public let reason: String
  /// How to correct it.
  public let remedy: String

  /// `hear "Ada=loud": "loud" is not a percentage; give 0 to 100, such as Ada=60`
  public var description: String { "hear \"\(rule)\": \(reason); \(remedy)" }
}
