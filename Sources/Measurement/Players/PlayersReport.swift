import MusicalTime

/// The figures of how players play together, as `tutti measure players` prints them. The article <doc:PlayersFigures> defines each figure.
///
/// An action is a note that a player begins. It belongs to the nearest line of a grid in musical time (``ticksPerLine``). Without a rhythm,
/// actions of different players that are nearly simultaneous belong together (``window``), and the figures about the grid are nil. Times
/// are in nanoseconds.
///
/// Real-time: not safe.
public struct PlayersReport: Hashable, Sendable {
  /// The figures of one player.
  public struct Player: Hashable, Sendable {
    /// The name of the peer.
    public let name: String
    /// The number of actions; the number of actions while no rhythm played; and the number of actions that were dropped because another
    /// action of the player is nearer to the same line.
    public let actions, outside, double: Int
    /// The instant of the action minus the instant of its line; nil without an action on the grid.
    public let asynchrony: Distribution?
    /// Pearson's correlation coefficient of the asynchronies of consecutive actions; nil with fewer than ten pairs, or if the
    /// asynchronies are constant.
    public let asynchronyAutocorrelation: Double?
    /// The circular statistics of the asynchronies; nil with fewer than ten actions on the grid.
    public let phases: CircularFigures?
    /// The intervals between consecutive actions; nil without an interval.
    public let intervals: Intervals?
  }

  /// The intervals between consecutive actions of one player. Only the intervals with the most frequent number of lines are used.
  public struct Intervals: Hashable, Sendable {
    /// The number of lines in each interval.
    public let lines: Int64
    /// The lengths of the intervals.
    public let length: Distribution
    /// The standard deviation of the lengths divided by their mean; nil with one interval.
    public let variation: Double?
    /// Pearson's correlation coefficient of the lengths of consecutive intervals; nil with fewer than ten pairs, or if the lengths are
    /// constant.
    public let autocorrelation: Double?
    /// The standard deviations of the noise of the timekeeper and of the movement of a player who does not correct errors (A. Wing and A.
    /// Kristofferson, 1973); nil with fewer than ten intervals.
    public let timekeeper, movement: Estimate?
  }

  /// The figures of two players.
  public struct Pair: Hashable, Sendable, Encodable {
    /// The names of the peers.
    public let first, second: String
    /// The number of actions of both players that have no counterpart; nil with a rhythm.
    public let unmatched: Int?
    /// The asynchrony of the first player minus the asynchrony of the second player, on lines on which both play.
    public let asynchrony: Distribution?
    /// The circular statistics of these asynchronies; nil with fewer than ten.
    public let phases: CircularFigures?
    /// The cross-correlation of the intervals of both players at lags of -4...4 common lines, in order; nil at a lag with fewer than ten
    /// pairs or constant values. A common line is a line at which an interval of each player ends. The value of an interval is its length
    /// minus the time between its lines. A correlation at a positive lag means that the second player follows the first.
    public let crossCorrelation: [Double?]

    private enum CodingKeys: String, CodingKey {
      case first, second, unmatched, asynchrony
      case phases = "circular"
      case crossCorrelation = "cross_correlation_lags_-4_to_4"
    }
  }

  /// The origin of the figures: the program, the traces and the command line. Nil until the command sets it.
  public var provenance: Provenance?
  /// The distance between two lines of the grid in ticks of 1/24 quarter note; nil without a rhythm.
  public let ticksPerLine: Int?
  /// Without a rhythm, the greatest distance of two actions that belong together.
  public let window: Nanoseconds?
  /// The players, in the order of the traces.
  public let players: [Player]
  /// All pairs of players.
  public let pairs: [Pair]
  /// The asynchrony of all players; nil without a line on which two players play.
  public internal(set) var group: GroupAsynchrony?
  /// The corrections of each player.
  public internal(set) var corrections: [CorrectionModel] = []
  /// Notes for the user, each in one line.
  public internal(set) var notes: [String]

  init(grid: PlayersAnalysis.Grid, players: [Player], pairs: [Pair], notes: [String]) {
    switch grid {
    case .rhythm(let ticks): (ticksPerLine, window) = (ticks, nil)
    case .onsets(let length): (ticksPerLine, window) = (nil, length)
    }
    (self.players, self.pairs, self.notes) = (players, pairs, notes)
  }

  /// The correction gains of all players, in the model of phase correction.
  public var gains: [CorrectionModel.Gain] { corrections.flatMap(\.gains) }
}

extension PlayersReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    let noise = corrections.filter { !$0.gains.isEmpty }.map {
      JSONObject(
        dictionaryLiteral: ("player", $0.player), ("timekeeper_sd_us", $0.timekeeper?.scaled(by: 1e-3)),
        ("motor_sd_us", $0.movement?.scaled(by: 1e-3)))
    }
    try encoder.encode([
      "provenance": provenance, "ticks_per_line": ticksPerLine, "window_us": window.map { Double($0.count) / 1e3 },
      "players": players, "pairs": pairs, "group": group, "gains": gains, "noise": noise,
      "period_gains": corrections.flatMap(\.periods), "notes": notes,
    ])
  }
}

extension PlayersReport.Player: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "name": name, "actions": actions, "outside": outside, "double": double, "asynchrony": asynchrony,
      "asynchrony_lag1_autocorrelation": asynchronyAutocorrelation, "circular": phases, "intervals": intervals,
    ])
  }
}

extension PlayersReport.Intervals: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "lines": lines, "length": length, "coefficient_of_variation": variation, "lag1_autocorrelation": autocorrelation,
      "timekeeper_sd_us": timekeeper?.scaled(by: 1e-3), "motor_sd_us": movement?.scaled(by: 1e-3),
    ])
  }
}
