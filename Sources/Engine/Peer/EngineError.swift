/// Something a peer needs and cannot have: the thing, the reason and the remedy in one line.
public struct EngineError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
