/// An event that a ``SessionExtension`` reports. The extension defines the meaning of both numbers.
public struct ExtensionEvent: Hashable, Sendable, BitwiseCopyable {
  public let kind: UInt32
  public let value: UInt64

  public init(kind: UInt32, value: UInt64 = 0) { (self.kind, self.value) = (kind, value) }
}
