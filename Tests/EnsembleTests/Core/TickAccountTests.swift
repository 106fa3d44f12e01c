import MusicalTime
import Testing

@testable import Ensemble

/// The counts of the master's ticks that have arrived over the network, and of those that were lost.
@Suite struct TickAccountTests {
  /// The first tick of each run.
  private let start = Tick(0)

  /// The number of a recovered tick is not known, because the tick has the time stamp of a later packet. Therefore a recovered tick does
  /// not change the first tick. Recovered ticks do not count before the first tick has arrived.
  @Test func recoveredTicksDoNotHideLosses() {
    var account = TickAccount()
    for _ in 0..<5 { account.recovered(run: 1, start: start) }
    for tick in [Int64(5), 6, 8, 9, 12] { account.heard(Tick(tick), run: 1, start: start) }
    account.recovered(run: 1, start: start)
    account.played(Tick(12), run: 1, start: start, isOwn: false)
    #expect(account.lost == 2)
    // Ends the run, and adds its ticks to `expected`.
    account.settle()
    // The first tick that arrived was 5. Of the eight ticks 5...12, five arrived, one was recovered and two are lost.
    #expect(account.expected == 8 && account.received == 6 && account.lost == 2)
  }

  @Test func eachRunIsCountedSeparately() {
    var account = TickAccount()
    account.heard(Tick(0), run: 1, start: start)
    account.played(Tick(1), run: 1, start: start, isOwn: false)
    account.recovered(run: 2, start: start)
    account.heard(Tick(96), run: 2, start: start)
    account.played(Tick(97), run: 2, start: start, isOwn: false)
    account.settle()
    // The expected ticks begin with the first tick that arrived, also for a peer that joins late, as in run 2. So run 1 has the ticks 0
    // and 1, and run 2 has the ticks 96 and 97. Of each run, only the first tick arrived. The recovered tick came before the first tick of
    // run 2, and does not count.
    #expect(account.expected == 4 && account.received == 2 && account.lost == 2)
  }

  /// A master plays ticks and receives none.
  @Test func ownTicksAreNotLost() {
    var account = TickAccount()
    account.played(Tick(40), run: 1, start: start, isOwn: true)
    #expect(account.lost == 0)
    // Run 2 has another master. Its ticks 1, 2 and 3 did not arrive.
    account.heard(Tick(0), run: 2, start: start)
    account.played(Tick(3), run: 2, start: start, isOwn: false)
    #expect(account.lost == 3)
    account.settle()
    // The tick 40 of run 1 counts as expected and received.
    #expect(account.expected == 5 && account.received == 2)
  }

  /// The local peer follows from tick 100 on and receives no tick. It plays the ticks 100...103.
  @Test func ticksOfARunWithoutArrivalsAreLostFromTheFirstPlayedTickOn() {
    var account = TickAccount()
    for tick in Int64(100)...103 { account.played(Tick(tick), run: 1, start: start, isOwn: false) }
    account.settle()
    #expect(account.expected == 4 && account.received == 0 && account.lost == 4)
  }

  /// Ticks can arrive before the local peer plays them. The ticks 0...3 of run 1 arrived, and 0 and 1 were played. Of run 2, tick 1 did not
  /// arrive.
  @Test func ticksThatAreNotPlayedDoNotHideLosses() {
    var account = TickAccount()
    for tick in Int64(0)...3 { account.heard(Tick(tick), run: 1, start: start) }
    for tick in Int64(0)...1 { account.played(Tick(tick), run: 1, start: start, isOwn: false) }
    account.heard(Tick(0), run: 2, start: start)
    for tick in Int64(0)...1 { account.played(Tick(tick), run: 2, start: start, isOwn: false) }
    account.settle()
    #expect(account.expected == 4 && account.received == 3 && account.lost == 1)
  }
}
