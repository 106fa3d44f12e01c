/// The figures of how players play together, as `tutti measure players` prints them. The article <doc:PlayersFigures> defines each figure.
///
/// An action is a note that a player begins. It belongs to the nearest line of a grid in musical time (``ticksPerLine``). Times are in
/// nanoseconds.
///
/// Real-time: not safe.
public struct PlayersReport: Hashable, Sendable, Encodable {
  /// The figures of one player.
  public struct Player: Hashable, Sendable, Encodable {
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
    /// The intervals between consecutive actions; nil without an interval.
    public let intervals: Intervals?

    private enum CodingKeys: String, CodingKey {
      case name, actions, outside, double, asynchrony, intervals
      case asynchronyAutocorrelation = "asynchrony_lag1_autocorrelation"
    }
  }

  /// The intervals between consecutive actions of one player. Only the intervals with the most frequent number of lines are used.
  public struct Intervals: Hashable, Sendable, Encodable {
    /// The number of lines in each interval.
    public let lines: Int64
    /// The lengths of the intervals.
    public let length: Distribution
    /// The standard deviation of the lengths divided by their mean; nil with one interval.
    public let variation: Double?
    /// Pearson's correlation coefficient of the lengths of consecutive intervals; nil with fewer than ten pairs, or if the lengths are
    /// constant.
    public let autocorrelation: Double?

    private enum CodingKeys: String, CodingKey {
      case lines, length
      case variation = "coefficient_of_variation"
      case autocorrelation = "lag1_autocorrelation"
    }
  }

  /// The figures of two players.
  public struct Pair: Hashable, Sendable, Encodable {
    /// The names of the peers.
    public let first, second: String
    /// The asynchrony of the first player minus the asynchrony of the second player, on lines on which both play.
    public let asynchrony: Distribution?
    /// The cross-correlation of the intervals of both players at lags of -4...4 common lines, in order; nil at a lag with fewer than ten
    /// pairs or constant values. A common line is a line at which an interval of each player ends. The value of an interval is its length
    /// minus the time between its lines. A correlation at a positive lag means that the second player follows the first.
    public let crossCorrelation: [Double?]

    private enum CodingKeys: String, CodingKey {
      case first, second, asynchrony
      case crossCorrelation = "cross_correlation_lags_-4_to_4"
    }
  }

  /// A correction gain: how much of an asynchrony a player corrects with the next action.
  public struct Gain: Hashable, Sendable, Encodable {
    /// The player who corrects the asynchrony.
    public let player: String
    /// The other player, with whom the player is compared. Nil if the player is compared with the grid.
    public let to: String?
    /// The share of the asynchrony that the next action corrects, and the standard error of this share.
    public let gain, standardError: Double

    private enum CodingKeys: String, CodingKey {
      case player, to, gain
      case standardError = "standard_error"
    }
  }

  /// The origin of the figures: the program, the traces and the command line. Nil until the command sets it.
  public var provenance: Provenance?
  /// The distance between two lines of the grid in ticks of 1/24 quarter note.
  public let ticksPerLine: Int
  /// The players, in the order of the traces.
  public let players: [Player]
  /// All pairs of players.
  public let pairs: [Pair]
  /// The correction gains of each player; empty with too few common actions.
  public let gains: [Gain]
  /// Notes for the user, each in one line.
  public let notes: [String]

  private enum CodingKeys: String, CodingKey {
    case provenance, players, pairs, gains, notes
    case ticksPerLine = "ticks_per_line"
  }
}

extension PlayersReport: CustomStringConvertible {
  /// The report as text tables, with notes and the provenance at the end, as `tutti measure players` prints it.
  public var description: String {
    let asynchronies = TextTable(
      columns: ["", "actions", "outside", "double"] + Distribution.columns + ["lag 1"],
      rows: players.map { player in
        [player.name, "\(player.actions)", "\(player.outside)", "\(player.double)"] + player.asynchrony.row
          + [player.asynchronyAutocorrelation.fixed(3)]
      })
    let intervals = TextTable(
      columns: ["", "lines", "count", "mean", "sd", "variation %", "lag 1"],
      rows: players.map { player in
        let (intervals, length) = (player.intervals, player.intervals?.length)
        return [
          player.name, intervals.map { "\($0.lines)" } ?? "-", "\(length?.count ?? 0)", (length?.mean).microseconds,
          (length?.standardDeviation).microseconds, (intervals?.variation).fixed(3, scale: 100),
          (intervals?.autocorrelation).fixed(3),
        ]
      })
    var text = "Asynchrony to the grid of \(ticksPerLine) ticks, us; positive: late\n\(asynchronies)"
    text += "outside: actions while no rhythm played\n"
    text += "double: actions that are not measured, because another action is nearer to the same line\n"
    text += "lag 1: correlation of each asynchrony with the next one\n\n"
    text += "Intervals between consecutive actions, us; only intervals of the most frequent number of grid lines\n"
    text += "\(intervals)lag 1: correlation of each interval with the next one\n"
    if !pairs.isEmpty { text += pairsText }
    if !gains.isEmpty {
      let table = TextTable(
        columns: ["player", "corrects to", "gain", "error"], wordColumns: 2,
        rows: gains.map { [$0.player, $0.to ?? "the grid", $0.gain.fixed(3), $0.standardError.short] })
      text += "\nCorrection gain: the share of an asynchrony that the next action corrects\n\(table)"
    }
    if !notes.isEmpty { text += "\nNotes\n" + notes.map { "\($0)\n" }.joined() }
    if let provenance { text += "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined() }
    return text
  }

  /// The tables of all pairs of players. A common line is a line at which an interval of each player ends.
  private var pairsText: String {
    let lags = -PlayersAnalysis.greatestLag...PlayersAnalysis.greatestLag
    let table = TextTable(
      columns: ["", ""] + Distribution.columns, wordColumns: 2,
      rows: pairs.map { [$0.first, $0.second] + $0.asynchrony.row })
    let correlations = TextTable(
      columns: ["", ""] + lags.map { "\($0)" }, wordColumns: 2,
      rows: pairs.map { [$0.first, $0.second] + $0.crossCorrelation.map { $0.fixed(3) } })
    return "\nAsynchrony of the first minus that of the second player, us\n\(table)"
      + "\nCross-correlation of the intervals of two players, by lag; the lag counts the grid lines on which both "
      + "played; positive: the second player follows the first\n\(correlations)"
  }
}
