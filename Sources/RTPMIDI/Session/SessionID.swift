/// One session of an ``Endpoint``, from its first invitation on. Never used again after its end.
public struct SessionID: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt64
}
