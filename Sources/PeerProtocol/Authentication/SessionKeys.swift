/// The keys of a session with a passkey, one per direction.
public struct SessionKeys: Hashable, Sendable, BitwiseCopyable {
  /// The key of the tags that the local peer writes.
  public let sending: TagKey
  /// The key of the tags that the remote peer writes.
  public let receiving: TagKey

  public init(sending: TagKey, receiving: TagKey) { (self.sending, self.receiving) = (sending, receiving) }
}
