import Realtime
import Testing

/// Tests of the ring between one producer and one consumer.
@Suite struct SPSCRingTests {
  @Test func ringKeepsOrderAndRefusesElementsWhenFull() {
    let ring = SPSCRing<Int>(capacity: 5)
    #expect(ring.capacity == 8, "rounded up to a power of two")
    for lap in 0..<1000 {
      for n in 0..<8 { #expect(ring.push(lap * 8 + n)) }
      #expect(!ring.push(-1) && ring.count == 8)
      for n in 0..<8 { #expect(ring.pop() == lap * 8 + n) }
      #expect(ring.pop() == nil)
    }
    // One push per lap was refused.
    #expect(ring.dropped == 1000)
  }

  @Test func ringPassesElementsBetweenTwoThreadsInOrder() {
    let ring = SPSCRing<Int>(capacity: 64)
    let count = 200_000
    let producer = RealtimeThread(name: "producer", priority: 1) {
      var n = 0
      while n < count { if ring.push(n) { n += 1 } }
    }
    var expected = 0
    while expected < count {
      guard let element = ring.pop() else { continue }
      // If an element is lost, repeated or out of order, the loop ends and the expectation below fails.
      if element != expected { break }
      expected += 1
    }
    #expect(expected == count)
    producer.join()
  }
}
