public import MusicalTime

/// Counts the master's ticks that have arrived over the network, and the lost ticks, separately for each run.
///
/// The expected ticks of a run end with the last tick that the local peer has played. They begin with the first tick that
/// arrived, or with the start of the run if no tick arrived. A run is settled when it has ended and its expected ticks have been
/// added to the sum.
///
/// Real-time: not safe.
public struct TickAccount: Sendable {
  /// The number of expected ticks of all settled runs.
  public private(set) var expected: Int64 = 0
  /// The number of ticks that have arrived, or that a recovery journal has contained.
  public private(set) var received: Int64 = 0
  /// The number of the current run.
  private var run: UInt32 = 0
  /// The lowest tick of the run that has arrived.
  private var first: Tick?
  /// The first tick of the run.
  private var start = Tick(0)
  /// The last tick of the run that the local peer has played.
  private var last: Tick?

  /// The number of expected ticks that did not arrive. Runs of which no tick has arrived are not counted, because the local peer plays
  /// its own ticks in a run that it leads.
  public var lost: Int64 { settledLosses + currentLosses }
  private var settledLosses: Int64 = 0
  /// The part of ``received`` that belongs to the current run.
  private var receivedInRun: Int64 = 0

  private var currentLosses: Int64 {
    guard let first, let last else { return 0 }
    return max(0, last - max(first, start) + 1 - receivedInRun)
  }

  public init() {}

  /// Records that the local peer has played `tick` of the run.
  public mutating func played(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    last = tick
  }

  /// Records that the master's `tick` of the run has arrived.
  public mutating func heard(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    first = min(first ?? tick, tick)
    received += 1
    receivedInRun += 1
  }

  /// Records that a recovery journal has contained a lost tick of the run, whose number is not known. Before the first tick has
  /// arrived, recovered ticks do not count, because the journal may contain ticks from before a late joiner's session.
  public mutating func recovered(run: UInt32, start: Tick) {
    begin(run, start)
    guard first != nil else { return }
    received += 1
    receivedInRun += 1
  }

  /// Adds the current run to the expected ticks and ends it.
  public mutating func settle() {
    settledLosses += currentLosses
    receivedInRun = 0
    if let last { expected += max(0, last - max(first ?? start, start) + 1) }
    (first, last) = (nil, nil)
  }

  /// If `run` is not the current run, settles the current run and begins `run`, whose first tick is `start`.
  private mutating func begin(_ run: UInt32, _ start: Tick) {
    guard run != self.run else { return }
    settle()
    self.run = run
    self.start = start
  }
}
