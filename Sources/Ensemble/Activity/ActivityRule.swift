/// What the master makes of everybody's activity.
public enum ActivityRule: String, CaseIterable, Hashable, Sendable {
  /// All together, 127 at most: everybody who joins in makes it livelier.
  case sum
  /// Their mean, rounded: a large group is no wilder than a small one.
  case mean
  /// The liveliest alone counts.
  case maximum

  /// The total of `levels`, 0...127; 0 of none.
  public func total(of levels: [UInt8]) -> UInt8 {
    let sum = levels.reduce(0) { $0 + Int($1) }
    switch self {
    case .sum: return UInt8(min(sum, 127))
    case .mean: return levels.isEmpty ? 0 : UInt8(min((sum + levels.count / 2) / levels.count, 127))
    case .maximum: return min(levels.max() ?? 0, 127)
    }
  }
}
