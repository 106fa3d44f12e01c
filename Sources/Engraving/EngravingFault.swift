/// The reason why a part is not engraved, in the form `thing: reason; remedy`.
public struct EngravingFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is refused, such as `bar 12`.
  public let thing: String
  public let reason: String
  /// How to correct it.
  public let remedy: String

  public init(_ thing: String, _ reason: String, _ remedy: String) {
    (self.thing, self.reason, self.remedy) = (thing, reason, remedy)
  }

  public var description: String { "\(thing): \(reason); \(remedy)" }
}
