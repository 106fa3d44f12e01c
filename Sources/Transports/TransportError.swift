/// Something outside that cannot be used: the thing, the reason and the remedy in one line.
public struct TransportError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
