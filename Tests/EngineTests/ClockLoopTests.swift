import MIDI
import MusicalTime
import Testing

@testable import Engine
@testable import Ensemble

/// Tests that the ticks of a rhythm reach receivers through the socket. SendingTests test the sender without a socket.
@Suite struct ClockLoopTests: ClockLoopSuite {
  @Test func ticksReachBothKindsOfReceiversThroughTheSocket() throws {
    try withLoop { loop, rings, _, open in
      let playOnArrival = try open(.playOnArrival)
      let timeStamped = try open(.timeStamped)
      rings.schedule.publish(VirtualRhythm.schedule(end: 50))
      loop.play(from: .milliseconds(-100), to: .milliseconds(-95))
      #expect(try receive(timeStamped) == [stamped(.start, at: 0)])
      #expect(try receive(playOnArrival) == [])
      loop.play(from: .milliseconds(-95), to: .milliseconds(5))
      // The time-stamp receiver gets ticks 90 ms ahead: at 5 ms it has ticks 0...4, of which the last is due at 80 ms. The
      // play-on-arrival receiver gets Start and the first tick at their due time.
      #expect(try receive(timeStamped) == clocks(0..<5))
      #expect(try receive(playOnArrival) == [stamped(.start, at: 0)] + clocks(0..<1))
      loop.play(from: .milliseconds(5), to: .milliseconds(2000))
      #expect(try receive(timeStamped) == clocks(5..<50) + [stamped(.stop, at: 50)])
      #expect(try receive(playOnArrival) == clocks(1..<50) + [stamped(.stop, at: 50)])
    }
  }
}
