/// What a test needs and this machine does not have: the thing, the reason and the remedy in one line.
public struct Unavailable: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
