/// The corrections of one player, estimated by ``CorrectionFit``.
///
/// The model of phase correction (A. Wing, S. Endo, A. Bradbury and D. Vorberg, J. R. Soc. Interface 11, 20131125, 2014): the asynchrony a
/// of player i after the next action is
///
///     a_i(n+1) = a_i(n) - g_i a_i(n) - sum over j of g_ij (a_i(n) - a_j(n)) + T(n) + M(n+1) - M(n) + constant
///
/// The model of phase and period correction (H.-H. Schulze, A. Cordes and D. Vorberg, "Keeping synchrony while tempo changes", Music
/// Perception 22 (3), 2005) also changes the period t of the timekeeper by a share of each asynchrony e:
///
///     t(n) = t(n-1) - b e(n),     interval(n+1) = t(n) - g e(n) + T(n) + M(n+1) - M(n)
///
/// So t(n) is a constant minus b times the sum of the asynchronies so far. This sum is one more regressor.
public struct CorrectionModel: Hashable, Sendable {
  /// A correction gain: how much of an asynchrony a player corrects with the next action.
  public struct Gain: Hashable, Sendable, Encodable {
    /// The player who corrects the asynchrony.
    public let player: String
    /// The other player, with whom the player is compared. Nil if the player is compared with the grid.
    public let to: String?
    /// The share of the asynchrony that the next action corrects; and its standard error, which is the width of the interval divided by
    /// 2 * 1.96.
    public let gain, standardError: Double
    /// The ends of the 95 % confidence interval.
    public let low, high: Double

    fileprivate init(_ player: String, to other: String?, _ gain: Estimate) {
      (self.player, to, self.gain) = (player, other, gain.value)
      (low, high) = (gain.interval?.lowerBound ?? -.infinity, gain.interval?.upperBound ?? .infinity)
      standardError = (high - low) / (2 * 1.96)
    }

    private enum CodingKeys: String, CodingKey {
      case player, to, gain, low, high
      case standardError = "standard_error"
    }
  }

  /// The gains of the model of phase and period correction.
  public struct PeriodGain: Hashable, Sendable, Encodable {
    /// The player, and the other player; nil: the grid.
    public let player: String
    public let to: String?
    /// The share of the asynchrony by which the next interval changes, and the share by which the period of the timekeeper changes.
    public let phase, period: Estimate

    private enum CodingKeys: String, CodingKey {
      case player, to
      case phase = "phase_gain"
      case period = "period_gain"
    }
  }

  /// The player.
  public let player: String
  /// The gains of phase correction; empty with too few common actions.
  public let gains: [Gain]
  /// The standard deviations of the noise of the timekeeper and of the movement in nanoseconds, in the model of phase correction; nil
  /// without gains.
  public let timekeeper, movement: Estimate?
  /// The gains of phase and period correction; empty with too few consecutive common actions.
  public let periods: [PeriodGain]

  /// The shortest sequence of consecutive intervals for the model of period correction, and the largest number of sequences. Each sequence
  /// has an initial period of its own.
  private static let shortestSequence = 20
  private static let mostSequences = 16

  /// Returns the models of all players.
  ///
  /// - Parameters:
  ///   - players: the actions of each player on common lines.
  ///   - names: the names of the players.
  ///   - hasGrid: whether the players hear the grid. It then counts as one more player.
  static func all(_ players: [[GridAction]], names: [String], hasGrid: Bool) -> [CorrectionModel] {
    let lines = players.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0) }) }
    return players.indices.map { index in
      let others = players.indices.filter { $0 != index }
      return CorrectionModel(
        names[index], Step.steps(of: players[index], with: others.map { lines[$0] }, hasGrid: hasGrid),
        targets: (hasGrid ? [nil] : []) + others.map { names[$0] }, hasGrid: hasGrid)
    }
  }

  private init(_ player: String, _ steps: [Step], targets: [String?], hasGrid: Bool) {
    self.player = player
    let phase = CorrectionFit(
      steps.map { .init(regressors: $0.asynchronies, value: $0.change, continues: $0.continues) },
      bound: .movementBelowTimekeeper)
    gains = phase.map { zip(targets, $0.gains).map { Gain(player, to: $0, $1) } } ?? []
    (timekeeper, movement) = (phase?.timekeeper, phase?.movement)
    // With a grid, the period is corrected towards the grid. Otherwise, it is corrected towards each other player.
    let corrected = hasGrid ? 1 : targets.count
    let sequences = Step.sequences(steps, of: Self.shortestSequence, most: Self.mostSequences)
    let rows = sequences.enumerated().flatMap { Self.rows($1, level: $0, corrected: corrected) }
    let fit = CorrectionFit(
      rows, bound: .movementBelowTimekeeper, levels: sequences.count,
      sums: Set(targets.count..<targets.count + corrected))
    periods =
      fit.map { fit in
        (0..<corrected).map {
          PeriodGain(
            player: player, to: targets[$0], phase: fit.gains[$0], period: fit.gains[targets.count + $0])
        }
      } ?? []
  }

  /// Returns the rows of a sequence of consecutive intervals for the model of period correction.
  private static func rows(_ steps: ArraySlice<Step>, level: Int, corrected: Int) -> [CorrectionFit.Row] {
    // A player who anticipates has a constant asynchrony, which does not change the period. Its sum grows evenly. One more regressor, a
    // ramp, absorbs it. To subtract the mean of all asynchronies instead would cause a bias, because the mean contains later noise.
    let ramp = steps.reduce(0) { max($0, abs($1.interval)) }
    var sums = [Double](repeating: 0, count: corrected)
    return steps.enumerated().map { index, step in
      for target in 0..<corrected { sums[target] += step.asynchronies[target] }
      return .init(
        regressors: step.asynchronies + sums + [Double(index) * ramp], value: step.interval, level: level,
        continues: index > 0)
    }
  }

  /// Two consecutive actions of a player, the first of which is on a line on which all players play.
  private struct Step {
    /// The asynchronies at the first action: to the grid if there is one, and to each other player.
    var asynchronies: [Double]
    /// The change of the asynchrony from the first action to the second, and the time between them in nanoseconds.
    var change, interval: Double
    /// The number of lines between the actions.
    var lines: Int64
    /// Whether the first action is the second action of the previous step.
    var continues: Bool

    static func steps(
      of actions: [GridAction], with others: [[GridAction.Key: GridAction]], hasGrid: Bool
    ) -> [Step] {
      var steps: [Step] = []
      var last: GridAction.Key?
      for (now, next) in zip(actions, actions.dropFirst()) where now.run == next.run {
        let asynchronies = others.compactMap { lines in lines[now.key].map { now.asynchrony - $0.asynchrony } }
        guard asynchronies.count == others.count else { continue }
        steps.append(
          Step(
            asynchronies: (hasGrid ? [now.asynchrony] : []) + asynchronies, change: next.asynchrony - now.asynchrony,
            interval: Double(next.instant - now.instant), lines: next.line - now.line, continues: last == now.key))
        last = next.key
      }
      return steps
    }

    /// Returns the longest sequences of consecutive steps of the most frequent number of lines, in order of time.
    static func sequences(_ steps: [Step], of shortest: Int, most: Int) -> [ArraySlice<Step>] {
      let counts = Dictionary(grouping: steps, by: \.lines).mapValues(\.count)
      guard let lines = counts.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) })?.key else { return [] }
      var (sequences, start) = ([ArraySlice<Step>](), 0)
      for index in 0...steps.count {
        let isEnd = index == steps.count || steps[index].lines != lines
        guard isEnd || !steps[index].continues else { continue }
        if index - start >= shortest { sequences.append(steps[start..<index]) }
        start = isEnd ? index + 1 : index
      }
      return sequences.sorted { $0.count > $1.count }.prefix(most).sorted { $0.startIndex < $1.startIndex }
    }
  }
}
