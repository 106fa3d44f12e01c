/// A requirement of a test that this machine does not meet, as one line: `thing: reason; remedy`.
public struct Unavailable: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
