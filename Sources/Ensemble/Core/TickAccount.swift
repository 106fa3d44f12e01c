public import MusicalTime

/// Counts the master's ticks that have arrived over the network, and the lost ticks, separately for each run.
///
/// The expected ticks of a run end with the last tick that the local peer has played. They begin with the first tick that
/// arrived, or with the first tick that the local peer has played if no tick arrived. In a run that the local peer leads, no tick is
/// lost. A run is settled when it has ended and its expected ticks have been added to the sum.
///
/// Real-time: not safe.
public struct TickAccount: Sendable {
  /// The number of expected ticks of all settled runs.
  public private(set) var expected: Int64 = 0
  /// The part of ``expected`` that was not lost: ticks that have arrived, that a recovery journal has contained, or that the local peer
  /// has played as the master.
  public var received: Int64 { expected - settledLosses }
  /// The number of the current run.
  private var run: UInt32 = 0
  /// The lowest tick of the run that has arrived.
  private var first: Tick?
  /// The first tick of the run.
  private var start = Tick(0)
  /// The first and the last tick of the run that the local peer has played.
  private var played: ClosedRange<Tick>?
  /// Whether the local peer leads the run.
  private var isOwn = false

  /// The number of expected ticks that did not arrive. The current run is counted from the arrival of its first tick on.
  public var lost: Int64 { settledLosses + (first == nil ? 0 : lossesInRun) }
  private var settledLosses: Int64 = 0
  /// The number of ticks of the current run that have arrived, or that a recovery journal has contained.
  private var receivedInRun: Int64 = 0

  /// The number of expected ticks of the current run.
  private var expectedInRun: Int64 {
    guard let played else { return 0 }
    return max(0, played.upperBound - max(first ?? played.lowerBound, start) + 1)
  }
  private var lossesInRun: Int64 { isOwn ? 0 : max(0, expectedInRun - receivedInRun) }

  public init() {}

  /// Records that the local peer has played `tick` of the run.
  ///
  /// - Parameter isOwn: whether the local peer leads the run.
  public mutating func played(_ tick: Tick, run: UInt32, start: Tick, isOwn: Bool) {
    begin(run, start)
    if isOwn { self.isOwn = true }
    let firstPlayed = min(played?.lowerBound ?? tick, tick)
    played = firstPlayed...tick
  }

  /// Records that the master's `tick` of the run has arrived.
  public mutating func heard(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    first = min(first ?? tick, tick)
    receivedInRun += 1
  }

  /// Records that a recovery journal has contained a lost tick of the run, whose number is not known. Before the first tick has
  /// arrived, recovered ticks do not count, because the journal may contain ticks from before a late joiner's session.
  public mutating func recovered(run: UInt32, start: Tick) {
    begin(run, start)
    guard first != nil else { return }
    receivedInRun += 1
  }

  /// Adds the current run to the expected ticks and ends it.
  public mutating func settle() {
    settledLosses += lossesInRun
    expected += expectedInRun
    (receivedInRun, first, played, isOwn) = (0, nil, nil, false)
  }

  /// If `run` is not the current run, settles the current run and begins `run`, whose first tick is `start`.
  private mutating func begin(_ run: UInt32, _ start: Tick) {
    guard run != self.run else { return }
    settle()
    self.run = run
    self.start = start
  }
}
