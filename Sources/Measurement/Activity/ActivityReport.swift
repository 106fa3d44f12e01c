/// The figures of the activity of an ensemble, as `tutti measure activity` prints them. The article <doc:ActivityFigures> defines each
/// figure. Activities are 0...127.
///
/// Real-time: not safe.
public struct ActivityReport: Hashable, Sendable {
  /// The figures of one player.
  public struct Player: Hashable, Sendable {
    /// The name of the player, and the identity of its peer.
    public let name, peer: String
    /// The energy; nil if it is never known.
    public let energy: Moments?
    /// The share of the energy in the sum of the energies of all players.
    public let share: Estimate?
    /// The strengths of the movements; nil without a movement.
    public let motions: Moments?
    /// The change of the energy after a change of the layers, positive if it has the direction of the change of the total; nil with fewer
    /// than five changes.
    public let response: Estimate?
  }

  /// The changes of the layers at which the total changes.
  public struct Layers: Hashable, Sendable {
    /// The number of changes, and the number of changes at which the total rises.
    public let changes, rises: Int
    /// The change of the sum of all energies after a change of the layers; nil with fewer than five changes.
    public let response: Estimate?
  }

  /// The figures of two players, or of a player and the total.
  public struct Pair: Hashable, Sendable {
    /// The names of the players. The second name is nil for the total.
    public let first: String
    public let second: String?
    /// The correlation coefficient at lag 0; nil if an activity is constant.
    public let simultaneous: Estimate?
    /// The lag of the greatest correlation coefficient in seconds; positive: the second follows the first. Nil if the coefficient does not
    /// differ from 0 significantly.
    public let lag: Estimate?
    /// The greatest correlation coefficient; nil without ``lag``.
    public let greatest: Estimate?
    /// The coefficients at lags of -5...5 s in steps of 0.1 s.
    public let coefficients: [Double?]

    init(first: String, second: String?, _ correlation: LaggedCorrelation, step: Double) {
      (self.first, self.second) = (first, second)
      (simultaneous, coefficients) = (correlation.simultaneous, correlation.coefficients)
      (lag, greatest) = (correlation.peak?.lag.scaled(by: step), correlation.peak?.coefficient)
    }
  }

  /// The origin of the figures. Nil until the command sets it.
  public var provenance: Provenance?
  /// The time that all traces cover, in seconds.
  public let seconds: Double
  /// The players, in the order in which they appear in the traces.
  public let players: [Player]
  /// The total activity; nil if no rhythm played.
  public let total: Moments?
  /// The changes of the layers.
  public let layers: Layers
  /// All pairs of players, and all pairs of a player and the total.
  public internal(set) var pairs: [Pair]
  /// Notes for the user, each in one line.
  public internal(set) var notes: [String]
}

/// The number, the mean and the standard deviation of values.
public struct Moments: Hashable, Sendable {
  /// The number of values.
  public let count: Int
  /// The mean, and the standard deviation with n - 1 in the denominator; 0 with one value.
  public let mean, standardDeviation: Double

  /// Calculates the moments of the values that are not NaN; nil if there are none.
  init?(_ values: [Double]) {
    let known = values.filter { !$0.isNaN }
    guard !known.isEmpty else { return nil }
    count = known.count
    let mean = known.reduce(0, +) / Double(known.count)
    self.mean = mean
    let squares = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    standardDeviation = known.count > 1 ? (squares / Double(known.count - 1)).squareRoot() : 0
  }
}

extension ActivityReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "provenance": provenance, "seconds": seconds, "players": players, "total": total, "layers": layers,
      "pairs": pairs,
      "notes": notes,
    ])
  }
}

extension ActivityReport.Player: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "name": name, "peer": peer, "energy": energy, "share": share, "motions": motions, "layer_response": response,
    ])
  }
}

extension ActivityReport.Layers: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["changes": changes, "rises": rises, "response": response])
  }
}

extension ActivityReport.Pair: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "first": first, "second": second, "correlation": simultaneous, "lag_s": lag, "greatest_correlation": greatest,
      "cross_correlation_lags_-5_to_5_s": coefficients,
    ])
  }
}

extension Moments: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["count": count, "mean": mean, "sd": standardDeviation])
  }
}

extension ActivityReport: CustomStringConvertible {
  /// The report as text tables, with notes and the provenance at the end, as `tutti measure activity` prints it.
  public var description: String {
    let activities = TextTable(
      columns: ["", "mean", "sd", "share %", "motions", "mean motion"],
      rows: players.map { player in
        [
          player.name, (player.energy?.mean).fixed(1), (player.energy?.standardDeviation).fixed(1),
          player.share.text(1, scale: 100), "\(player.motions?.count ?? 0)", (player.motions?.mean).fixed(1),
        ]
      } + [["total", (total?.mean).fixed(1), (total?.standardDeviation).fixed(1), "-", "-", "-"]])
    var text = "Activity, 0...127, over \(seconds.fixed(1)) s; 95 % interval of the share\n\(activities)"
    if !pairs.isEmpty {
      let table = TextTable(
        columns: ["first", "second", "correlation", "lag, s", "correlation at the lag"], wordColumns: 2,
        rows: pairs.map {
          [$0.first, $0.second ?? "total", $0.simultaneous.text(2), $0.lag.text(2), $0.greatest.text(2)]
        })
      text +=
        "\nCross-correlation of the activities; positive lag: the second follows the first; 95 % interval\n\(table)"
      text += "-: no significant lag\n"
    }
    let responses = TextTable(
      columns: ["", "response"],
      rows: players.map { [$0.name, $0.response.text(1)] } + [["all players", layers.response.text(1)]])
    text += "\nChange of the activity after a change of the layers, in its direction; \(layers.changes) changes, "
    text += "\(layers.rises) upwards; 95 % interval\n\(responses)"
    if !notes.isEmpty { text += "\nNotes\n" + notes.map { "\($0)\n" }.joined() }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }
}
