/// An unavailable requirement of a peer, as one line: `thing: reason; remedy`.
public struct EngineError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
