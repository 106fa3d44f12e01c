/// The error for a socket, port, address or service that cannot be used.
public struct TransportError: Error, CustomStringConvertible {
  /// The thing, the reason and the remedy in one line.
  public let description: String
  /// Creates an error with the given description.
  public init(_ description: String) { self.description = description }
}
