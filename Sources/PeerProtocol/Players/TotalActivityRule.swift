/// How the master combines the energies of all players into the total activity.
///
/// Real-time: not safe.
public enum TotalActivityRule: UInt8, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  /// The sum, 127 at most: each active player makes the rhythm richer.
  case sum
  /// The rounded mean: the rhythm does not become richer with the number of players.
  case mean
  /// The largest energy.
  case maximum

  /// With more players than this, the rule is ``mean`` unless a player has chosen another one: the sum of many children would always be 127.
  public static var largestSum: Int { 8 }

  /// The rule of a run that begins with this number of players, if no player has chosen a rule.
  public init(players: Int) { self = players > Self.largestSum ? .mean : .sum }

  /// Reads a ``description``.
  public init?(_ name: String) {
    guard let rule = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = rule
  }

  public var description: String {
    switch self {
    case .sum: "sum"
    case .mean: "mean"
    case .maximum: "maximum"
    }
  }

  /// The total of players with these energies, 0...127; 0 if `energies` is empty.
  public func total(of energies: [UInt8]) -> UInt8 {
    total(count: energies.count, sum: energies.reduce(0) { $0 + Int($1) }, maximum: energies.max() ?? 0)
  }

  /// The total of these players, 0...127.
  ///
  /// - Parameters:
  ///   - count: the number of players.
  ///   - sum: the sum of their energies.
  ///   - maximum: the greatest one.
  public func total(count: Int, sum: Int, maximum: UInt8) -> UInt8 {
    switch self {
    case .sum: UInt8(clamping: min(sum, 127))
    case .mean: count == 0 ? 0 : UInt8(clamping: min((sum + count / 2) / count, 127))
    case .maximum: min(maximum, 127)
    }
  }
}
