public import MusicalTime

/// The master's message about the rhythm. It contains everything that a peer needs to play all ticks from now on, so
/// that the peer depends on no single packet. Instants are by the master's clock.
///
/// Real-time: not safe.
public struct TimelineMessage: Hashable, Sendable {
  /// The claim of the rhythm. Every start is a new claim.
  public var claim: Claim
  /// The revision of the message within the claim. The number increases by one whenever the master changes the rhythm.
  public var revision: UInt32
  /// The first tick that is played: 0 after Start, another tick after Continue.
  public var start: Tick
  /// The first tick that is not played any more; `Tick(.max)` if no end is known.
  public var end: Tick
  /// When each tick is due, with the announced changes of the tempo.
  public var tempo: TempoMap
  /// The clicks before ``start``.
  public var countIn: CountIn
  /// The balance of the parts.
  public var mix: ChangingValue<Mix>
  /// The total activity of all players, 0...127. It selects the layers of the rhythm.
  public var total: ChangingValue<UInt8>
  /// How the master combines the energies of the players into ``total``. The rule remains after a takeover.
  public var totalRule: TotalActivityRule
  /// The rhythm.
  public var rhythm: ChangingValue<RhythmLine>
  /// The bars.
  public var grid: ChangingValue<BarGrid>
  /// The first tick of the bar in which the fill of the rhythm plays because the player of the master wants it, besides the fills that the
  /// rhythm plays by itself. The message keeps the tick of a bar that has passed. `Tick(.max)`: there was none.
  public var fill: Tick
  /// What plays of a score.
  public var score: ChangingValue<ScoreLine>
  /// The tempo of the score in millionths of the written tempo (``tempoFactors``). The tempo that results is in ``tempo``. A new master needs the
  /// factor for the bars that follow.
  public var tempoFactor: UInt32

  /// The permitted values of ``tempoFactor``: a tenth of the written tempo to four times the written tempo.
  public static let tempoFactors: ClosedRange<UInt32> = 100_000...4_000_000

  public init(
    claim: Claim, revision: UInt32, start: Tick, end: Tick, tempo: TempoMap,
    countIn: CountIn = .none, mix: ChangingValue<Mix> = ChangingValue(.standard),
    total: ChangingValue<UInt8> = ChangingValue(0), totalRule: TotalActivityRule = .sum,
    rhythm: ChangingValue<RhythmLine> = ChangingValue(RhythmLine(nil)),
    grid: ChangingValue<BarGrid> = ChangingValue(BarGrid(.common)), fill: Tick = Tick(.max),
    score: ChangingValue<ScoreLine> = ChangingValue(.none), tempoFactor: UInt32 = 1_000_000
  ) {
    self.claim = claim
    self.revision = revision
    self.start = start
    self.end = end
    self.tempo = tempo
    self.countIn = countIn
    self.mix = mix
    self.total = total
    self.totalRule = totalRule
    self.rhythm = rhythm
    self.grid = grid
    self.fill = fill
    (self.score, self.tempoFactor) = (score, tempoFactor)
  }

  /// Returns the instant at which `tick` is due, by the master's clock.
  public func deadline(_ tick: Tick) -> Instant { tempo.deadline(tick) }
}
