public import MusicalTime

/// Counts the master's ticks that reached this peer over the network, run by run. Expected are those from the first
/// that came, or from the run's start when none did, to the last this peer has played.
public struct TickAccount: Sendable {
  public private(set) var expected: Int64 = 0
  public private(set) var received: Int64 = 0
  private var run: UInt32 = 0
  private var first: Tick?
  private var start = Tick(0)
  private var last: Tick?

  public init() {}

  /// This peer has played `tick` of the run.
  public mutating func played(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    last = tick
  }

  /// The master's `tick` of the run has come.
  public mutating func heard(_ tick: Tick, run: UInt32, start: Tick) {
    begin(run, start)
    first = min(first ?? tick, tick)
    received += 1
  }

  /// A tick of the run that was lost has been made good, nobody says which. Before the first that came there is none to
  /// miss: a journal tells whoever joins the ticks of a time when it was not there.
  public mutating func recovered(run: UInt32, start: Tick) {
    begin(run, start)
    if first != nil { received += 1 }
  }

  /// Ends the run that is counted.
  public mutating func settle() {
    if let last { expected += max(0, last - max(first ?? start, start) + 1) }
    (first, last) = (nil, nil)
  }

  private mutating func begin(_ run: UInt32, _ start: Tick) {
    guard run != self.run else { return }
    settle()
    self.run = run
    self.start = start
  }
}
