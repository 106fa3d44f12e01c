import MusicalTime
import Realtime
import Testing

@Suite struct RingTests {
  @Test func keepsOrderAndRefusesWhenFull() {
    let ring = SPSCRing<Int>(capacity: 5)
    #expect(ring.capacity == 8)
    for lap in 0..<1000 {
      for n in 0..<8 { #expect(ring.push(lap * 8 + n)) }
      #expect(!ring.push(-1) && ring.count == 8)
      for n in 0..<8 { #expect(ring.pop() == lap * 8 + n) }
      #expect(ring.pop() == nil)
    }
    #expect(ring.dropped == 1000)
  }

  @Test func oneThreadToAnother() {
    let ring = SPSCRing<Int>(capacity: 64)
    let count = 200_000
    let producer = RealtimeThread(name: "producer", priority: 1) {
      var n = 0
      while n < count { if ring.push(n) { n += 1 } }
    }
    var expected = 0
    while expected < count {
      guard let element = ring.pop() else { continue }
      if element != expected { break }
      expected += 1
    }
    #expect(expected == count)
    producer.join()
  }
}

@Suite struct TripleBufferTests {
  private struct Pair: BitwiseCopyable, Sendable { var a: Int, b: Int }

  @Test func givesTheNewestOnce() {
    let buffer = TripleBuffer(0)
    #expect(buffer.take() == nil)
    buffer.publish(1)
    buffer.publish(2)
    #expect(buffer.take() == 2)
    #expect(buffer.take() == nil)
    buffer.publish(3)
    #expect(buffer.take() == 3)
  }

  /// The reader never sees half of one state and half of another, never goes back, and gets the last one.
  @Test func neverTears() {
    let buffer = TripleBuffer(Pair(a: 0, b: 0))
    let last = 200_000
    let writer = RealtimeThread(name: "writer", priority: 1) {
      for n in 1...last { buffer.publish(Pair(a: n, b: -n)) }
    }
    var newest = 0
    while newest < last {
      guard let pair = buffer.take() else { continue }
      if pair.a != -pair.b || pair.a <= newest { break }
      newest = pair.a
    }
    #expect(newest == last)
    writer.join()
  }
}

@Suite struct ThreadTests {
  @Test func doorbellWakesBeforeItsDeadline() {
    let bell = Doorbell()
    let seen = bell.count
    bell.ring()
    // Rung since it was read: does not sleep, though the deadline is an hour away.
    bell.wait(until: MonotonicClock.now + .seconds(3600), since: seen)
    // Not rung: sleeps to the deadline and no less.
    let deadline = MonotonicClock.now + .milliseconds(5)
    bell.wait(until: deadline, since: bell.count)
    #expect(MonotonicClock.now >= deadline)
  }

  @Test func aThreadSaysWhatItWasGranted() {
    let thread = RealtimeThread(name: "granted", priority: 10) {}
    thread.join()
    switch thread.schedulingPolicy {
    case .fifo(let priority): #expect(priority == 10 && thread.schedulingPolicy.advice == nil)
    case .other: #expect(thread.schedulingPolicy.advice?.contains("rtprio") == true)
    }
  }

  @Test func kernelStampsBecomeMonotonic() {
    let now = MonotonicClock.now
    // No stamp, one from 1970 and one from the far future: the user-space read.
    for stamp in [Int64(0), 1, .max] { #expect(MonotonicClock.instant(ofRealtime: stamp) >= now) }
  }
}
