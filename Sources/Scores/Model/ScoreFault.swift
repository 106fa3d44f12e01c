/// The reason why a score is refused, in the form `file:line: thing: reason; remedy`.
public struct ScoreFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the file; nil for a score from a peer.
  public var file: String?
  /// The line in the file, counted from 1; nil if the fault has no line.
  public var line: Int?
  /// What is refused, such as `measure 12`.
  public let thing: String
  public let reason: String
  /// How to correct it.
  public let remedy: String

  public init(file: String? = nil, line: Int? = nil, _ thing: String, _ reason: String, _ remedy: String) {
    (self.file, self.line, self.thing, self.reason, self.remedy) = (file, line, thing, reason, remedy)
  }

  public var description: String {
    let place = [file, line.map(String.init)].compactMap(\.self).joined(separator: ":")
    return "\(place.isEmpty ? "" : place + ": ")\(thing): \(reason); \(remedy)"
  }

  /// The fault of a rhythm whose sums do not fit, at `thing`.
  static func tooFine(_ thing: String) -> ScoreFault {
    ScoreFault(thing, "the note values are too fine", "use simpler ones")
  }
}
