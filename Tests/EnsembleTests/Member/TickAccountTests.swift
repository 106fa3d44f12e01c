import MusicalTime
import Testing

@testable import Ensemble

/// What the summary says of the master's ticks.
@Suite struct TickAccountTests {
  private let start = Tick(0)

  /// The stamp of a tick made good is that of a later packet: it neither moves the first nor counts before it.
  @Test func ticksMadeGoodHideNoLoss() {
    var account = TickAccount()
    for _ in 0..<5 { account.recovered(run: 1, start: start) }
    for tick in [Int64(5), 6, 8, 9, 12] { account.heard(Tick(tick), run: 1, start: start) }
    account.recovered(run: 1, start: start)
    account.played(Tick(12), run: 1, start: start)
    account.settle()
    // Of 5...12 one was made good, and two are lost.
    #expect(account.expected == 8 && account.received == 6)
  }

  @Test func eachRunIsCountedByItself() {
    var account = TickAccount()
    account.heard(Tick(0), run: 1, start: start)
    account.played(Tick(1), run: 1, start: start)
    account.recovered(run: 2, start: start)
    account.heard(Tick(96), run: 2, start: start)
    account.played(Tick(97), run: 2, start: start)
    account.settle()
    #expect(account.expected == 4 && account.received == 2)
  }
}
