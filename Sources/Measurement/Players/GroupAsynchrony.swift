/// The asynchrony of all players: the root of the mean square of the asynchronies of all pairs of players, over all lines on which at least
/// two players play.
///
/// It describes how far apart the players are, including a constant distance, for example of a player who is always late. R. Rasch
/// ("Synchronization in performed ensemble music", Acustica 43, 1979) uses the standard deviation instead, which has no constant part.
public struct GroupAsynchrony: Hashable, Sendable {
  /// The number of lines.
  public let events: Int
  /// The root of the mean square in nanoseconds.
  public let rms: Estimate

  /// Calculates the figure; nil without a line on which two players play.
  init?(_ players: [[GridAction]]) {
    var lines: [GridAction.Key: [Double]] = [:]
    for action in players.joined() { lines[action.key, default: []].append(action.asynchrony) }
    // The sum of the squares of the differences of all pairs is n times the sum of the squares of the deviations from the mean.
    let sums = lines.filter { $0.value.count > 1 }.sorted { ($0.key.run, $0.key.line) < ($1.key.run, $1.key.line) }
      .map { _, asynchronies in
        let n = Double(asynchronies.count)
        let mean = asynchronies.reduce(0, +) / n
        return (squares: asynchronies.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } * n, pairs: n * (n - 1) / 2)
      }
    events = sums.count
    let estimate = BlockJackknife.estimate(of: sums, on: .logarithmic) { part in
      let sum = part.reduce((0.0, 0.0)) { ($0.0 + $1.squares, $0.1 + $1.pairs) }
      return sum.1 > 0 ? (sum.0 / sum.1).squareRoot() : nil
    }
    guard let estimate else { return nil }
    rms = estimate
  }
}

extension GroupAsynchrony: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["events": events, "rms_us": rms.scaled(by: 1e-3)])
  }
}
