import MusicalTime

/// Traces or recordings that cannot be compared: what, why, and the remedy.
public struct ReportError: Error, Hashable, CustomStringConvertible {
  /// What is at fault: a name, or "comparison".
  public let subject: String
  public let reason: String
  public let remedy: String

  public var description: String { "\(subject): \(reason); \(remedy)" }

  /// Checks what every comparison asks of its arguments, and gives the clocks' leads, zeros when none were told.
  static func leads(
    _ clockAhead: [Nanoseconds], of names: [String], kind: String
  ) throws(ReportError) -> [Nanoseconds] {
    guard names.count >= 2 else {
      throw ReportError(
        subject: "comparison", reason: "\(names.count) \(kind)\(names.count == 1 ? "" : "s") to compare",
        remedy: "give two or more, the reference first")
    }
    guard !clockAhead.isEmpty else { return names.map { _ in .zero } }
    guard clockAhead.count == names.count else {
      throw ReportError(
        subject: "comparison", reason: "\(clockAhead.count) clocks told for \(names.count) \(kind)s",
        remedy: "tell by how much each one's clock is ahead, in the same order")
    }
    for (name, lead) in zip(names, clockAhead) where lead.count.magnitude > TraceTick.limit.magnitude {
      throw ReportError(subject: name, reason: "its clock cannot be 73 years ahead", remedy: "tell seconds")
    }
    return clockAhead
  }
}
