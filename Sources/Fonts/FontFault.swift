/// The reason why a font cannot be used, in the form `thing: reason; remedy`.
public struct FontFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// What cannot be used, such as `font Bravura.otf`.
  public let thing: String
  public let reason: String
  /// How to correct it.
  public let remedy: String

  public init(_ thing: String, _ reason: String, _ remedy: String) {
    (self.thing, self.reason, self.remedy) = (thing, reason, remedy)
  }

  public var description: String { "\(thing): \(reason); \(remedy)" }
}
