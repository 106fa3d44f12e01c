/// The error for a socket, port, address or service that cannot be used.
///
/// Real-time: not safe.
public struct TransportError: Error, CustomStringConvertible {
  /// The thing, the reason and the remedy in one line.
  public let description: String
  /// Whether the cause is a temporary failure of the name resolution, so that the same attempt can succeed later.
  public let isTemporary: Bool
  /// Creates an error with the given description.
  public init(_ description: String, isTemporary: Bool = false) {
    (self.description, self.isTemporary) = (description, isTemporary)
  }
}
