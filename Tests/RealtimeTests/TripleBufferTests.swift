import Realtime
import Testing

/// Tests of the buffer that passes the newest state from one thread to another.
@Suite struct TripleBufferTests {
  private struct Pair: BitwiseCopyable, Sendable { var a: Int, b: Int }

  @Test func takeReturnsTheNewestStateOnce() {
    let buffer = TripleBuffer(0)
    #expect(buffer.take() == nil)
    buffer.publish(1)
    buffer.publish(2)
    #expect(buffer.take() == 2)
    #expect(buffer.take() == nil)
    buffer.publish(3)
    #expect(buffer.take() == 3)
  }

  /// The reader never sees a mixture of two states or an older state, and it gets the last state.
  @Test func statesAreNeverMixedOrReordered() {
    let buffer = TripleBuffer(Pair(a: 0, b: 0))
    let last = 200_000
    let writer = RealtimeThread(name: "writer", priority: 1) {
      for n in 1...last { buffer.publish(Pair(a: n, b: -n)) }
    }
    var newest = 0
    while newest < last {
      guard let pair = buffer.take() else { continue }
      // If a state is mixed or old, the loop ends and the expectation below fails.
      if pair.a != -pair.b || pair.a <= newest { break }
      newest = pair.a
    }
    #expect(newest == last)
    writer.join()
  }
}
