import MusicalTime
import PeerProtocol
import Realtime
import Testing
import Transports
import _TestSupport

@testable import Engine

/// Tests of the memory of the tables of scores, with a running clock thread.
@Suite struct ScoreTablesTests {
  /// The thread acknowledges the tables that it has taken. The tables that were given before are freed, and no others.
  @Test func replacedTablesAreFreed() throws {
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    let thread = ClockThread(
      rings: ClockRings(),
      settings: ClockSettings(socket: socket, tickLead: .milliseconds(90), soundLead: .milliseconds(50)))
    let line = ScoreLine(DocumentDigest(high: 1, low: 2))
    var number: UInt32 = 0
    func give(_ count: Int, in place: Int) {
      for _ in 0..<count {
        number += 1
        thread.play(
          ScoreTable(number: number, line: line, notes: [ScoreNote(at: 0)], loopLength: 0), in: place)
      }
    }
    /// Waits until the newest table of each place is acknowledged, and returns the numbers of the tables that are not freed.
    func remaining() -> [[UInt32]] {
      let end = MonotonicClock.now + .seconds(10)
      while MonotonicClock.now < end {
        thread.freeScoreTables()
        if thread.scoreTables.allSatisfy({ $0.count <= 1 }) { break }
        MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(1))
      }
      return thread.scoreTables.map { $0.map(\.number) }
    }
    give(3, in: 0)
    give(2, in: 1)
    #expect(remaining() == [[3], [5]])
    give(1, in: 1)
    #expect(remaining() == [[3], [6]])
    // An empty table ends the use of the place.
    number += 1
    thread.play(ScoreTable(number: number), in: 0)
    #expect(remaining() == [[7], [6]])
    thread.stop()
    #expect(thread.scoreTables.joined().count == 0)
  }
}
