/// How people play together, measured from the actions in their traces. The article <doc:PlayersFigures> defines each
/// figure.
public struct PlayersReport: Hashable, Sendable, Encodable {
  /// The figures of one player.
  public struct Player: Hashable, Sendable, Encodable {
    /// The name of the peer.
    public let name: String
    /// The number of actions, of those while no rhythm played, and of those with a nearer one on the same line.
    public let actions, outside, double: Int
    /// The instant of the action minus that of the nearest line of the grid; nil without an action on the grid.
    public let asynchrony: Distribution?
    /// Pearson's coefficient of the asynchronies of consecutive actions; nil with fewer than ten pairs.
    public let asynchronyAutocorrelation: Double?
    /// The intervals between consecutive actions; nil without one.
    public let intervals: Intervals?

    private enum CodingKeys: String, CodingKey {
      case name, actions, outside, double, asynchrony, intervals
      case asynchronyAutocorrelation = "asynchrony_lag1_autocorrelation"
    }
  }

  /// The intervals between consecutive actions of one player that are the most frequent number of lines apart.
  public struct Intervals: Hashable, Sendable, Encodable {
    /// The number of lines.
    public let lines: Int64
    /// The intervals.
    public let length: Distribution
    /// The standard deviation divided by the mean; nil with one interval.
    public let variation: Double?
    /// Pearson's coefficient of consecutive intervals; nil with fewer than ten pairs.
    public let autocorrelation: Double?

    private enum CodingKeys: String, CodingKey {
      case lines, length
      case variation = "coefficient_of_variation"
      case autocorrelation = "lag1_autocorrelation"
    }
  }

  /// The figures of two players.
  public struct Pair: Hashable, Sendable, Encodable {
    /// The names.
    public let first, second: String
    /// The asynchrony of the first minus that of the second, on lines on which both play.
    public let asynchrony: Distribution?
    /// The cross-correlation of the deviations of the intervals at lags -4...4, in order; nil where there are fewer than
    /// ten pairs. At a positive lag, the second player follows the first.
    public let crossCorrelation: [Double?]

    private enum CodingKeys: String, CodingKey {
      case first, second, asynchrony
      case crossCorrelation = "cross_correlation_lags_-4_to_4"
    }
  }

  /// How much of an asynchrony a player corrects with the next action.
  public struct Gain: Hashable, Sendable, Encodable {
    /// The player who corrects.
    public let player: String
    /// The player whose actions the asynchrony is measured from; nil: it is measured from the grid.
    public let to: String?
    /// The share of the asynchrony that is corrected, and its standard error.
    public let gain, standardError: Double

    private enum CodingKeys: String, CodingKey {
      case player, to, gain
      case standardError = "standard_error"
    }
  }

  /// The program, the traces and the command line; nil in a report that is not the result of a command.
  public var provenance: Provenance?
  /// The distance of two lines of the grid in ticks of 1/24 quarter note.
  public let ticksPerLine: Int
  /// The players, in the order of the traces.
  public let players: [Player]
  /// All pairs of players.
  public let pairs: [Pair]
  /// The correction gains of each player; empty with too few common actions.
  public let gains: [Gain]
  /// Notes, each in one line.
  public let notes: [String]

  private enum CodingKeys: String, CodingKey {
    case provenance, players, pairs, gains, notes
    case ticksPerLine = "ticks_per_line"
  }
}
