public import MusicalTime

/// Counts the master's ticks that arrived over the network, run by run. The expected ticks are those from the first tick that
/// arrived, or from the start of the run if none did, to the last tick that the local peer has played.
public struct TickAccount: Sendable {
  /// The number of expected ticks of all runs that have been settled.
  public private(set) var expected: Int64 = 0
  /// The number of ticks that have arrived.
  public private(set) var received: Int64 = 0
  /// The current run.
  private var run: UInt32 = 0
  /// The lowest tick of the run that has arrived.
  private var first: Tick?
  /// The first tick of the run.
  private var start = Tick(0)
  /// The last tick of the run that the local peer has played.
  private var last: Tick?

  /// The number of ticks that did not arrive, of all runs of which at least one tick has arrived.
  public var lost: Int64 { settledLosses + currentLosses }
  private var settledLosses: Int64 = 0
  /// The number of ticks of the current run that have arrived.
  private var receivedInRun: Int64 = 0

  private var currentLosses: Int64 {
    guard let first, let last else { return 0 }
    return max(0, last - max(first, start) + 1 - receivedInRun)
  }

  public init() {}

  /// The local peer has played `tick` of the run.
  public mutating func played(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    last = tick
  }

  /// The master's `tick` of the run has arrived.
  public mutating func heard(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    first = min(first ?? tick, tick)
    received += 1
    receivedInRun += 1
  }

  /// A recovery journal has contained a lost tick of the run; its number is not known. A tick before the first one that
  /// arrived does not count, because the journal also contains ticks from before a late joiner's session.
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

  /// Settles the current run if `run` is another one, which begins with the tick `start`.
  private mutating func begin(_ run: UInt32, _ start: Tick) {
    guard run != self.run else { return }
    settle()
    self.run = run
    self.start = start
  }
}
