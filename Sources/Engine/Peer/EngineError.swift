/// An error: something that a peer needs, such as a file or memory, is missing or cannot be used. The description is one line of the form
/// `thing: reason; remedy`.
public struct EngineError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
