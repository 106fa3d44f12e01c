/// How the master combines the activities of all peers into the total activity.
///
/// Real-time: not safe.
public enum TotalActivityRule: String, CaseIterable, Hashable, Sendable {
  /// The sum, 127 at most: each active player makes the rhythm richer.
  case sum
  /// The rounded mean: the rhythm does not become richer with the number of players.
  case mean
  /// The largest level.
  case maximum

  /// The total of `levels`, the activities of the peers, 0...127; 0 if `levels` is empty.
  public func total(of levels: [UInt8]) -> UInt8 {
    let sum = levels.reduce(0) { $0 + Int($1) }
    switch self {
    case .sum: return UInt8(min(sum, 127))
    case .mean: return levels.isEmpty ? 0 : UInt8(min((sum + levels.count / 2) / levels.count, 127))
    case .maximum: return min(levels.max() ?? 0, 127)
    }
  }
}
