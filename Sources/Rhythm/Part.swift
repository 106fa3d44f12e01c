/// A part of a rhythm. The drums are the only part of a rhythm that is not a style.
public enum Part: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  case drums = 0
  case bass, guitar, keys

  /// The name in a patch and in commands.
  ///
  /// Real-time: not safe.
  public var name: String { "\(self)" }
}
