import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// The order of the sessions by their deadlines. The sessions are in a binary heap.
@Suite struct DeadlinesTests {
  /// A session whose first invitation is due at `instant`, which is its deadline.
  private func session(_ number: Int, due instant: Instant) -> Session {
    let address = SocketAddress(host: UInt32(number), port: 5004)
    let session = Session(
      id: SessionID(number: UInt64(number)), token: UInt32(number), localSSRC: 1, control: address, data: address,
      isInitiator: true, isProtected: false)
    session.invite(.invitingControl, at: instant)
    return session
  }

  /// Another session takes the place of a removed session in the heap, and may have to move up or down.
  @Test(arguments: UInt64(1)...50) func deadlinesStayOrderedAfterRemovals(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var deadlines = Deadlines()
    var sessions = (0..<64).map { session($0, due: Instant(nanoseconds: random.integer(in: 0...1000))) }
    for session in sessions { deadlines.schedule(session) }
    // Half of the sessions are removed in random order.
    for _ in 0..<32 {
      let removed = sessions.remove(at: Int(random.integer(in: 0...Int64(sessions.count - 1))))
      deadlines.remove(removed)
      #expect(removed.heapIndex == nil && deadlines.count == sessions.count, "seed \(seed)")
      #expect(deadlines.earliest == sessions.map(\.deadline).min(), "seed \(seed)")
    }
    // The other sessions are due in the order of their deadlines, and at equal deadlines in the order of their numbers.
    var order: [UInt64] = []
    while let first = deadlines.first {
      order.append(first.id.number)
      deadlines.remove(first)
    }
    let expected = sessions.sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }
    #expect(order == expected.map(\.id.number), "seed \(seed)")
  }
}
