/// The error that a peer cannot get something that it needs. The description is one line: `thing: reason; remedy`.
public struct EngineError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
