import MIDI
import MusicalTime
import Testing

@testable import Engine
@testable import Ensemble

/// The ticks of a rhythm, to each receiver in its way.
@Suite struct ClockLoopTests: ClockLoopSuite {
  @Test func startTheTicksDueStop() throws {
    try withLoop { loop, rings, _, open in
      let onArrival = try open(false)
      let stamped = try open(true)
      rings.schedule.publish(VirtualRhythm.schedule(end: 50))
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(-95))
      #expect(try receive(stamped) == [heard(.start, at: 0)])
      #expect(try receive(onArrival) == [])
      loop.play(from: .milliseconds(-95), to: .milliseconds(5))
      // 90 ms ahead: ticks 0...4 and the one due at 90 ms. The other has had its Start and the first tick at its
      // moment.
      #expect(try receive(stamped) == clocks(0..<5))
      #expect(try receive(onArrival) == [heard(.start, at: 0)] + clocks(0..<1))
      loop.play(from: .milliseconds(5), to: .milliseconds(2000))
      #expect(try receive(stamped) == clocks(5..<50) + [heard(.stop, at: 50)])
      #expect(try receive(onArrival) == clocks(1..<50) + [heard(.stop, at: 50)])
    }
  }

  @Test func aLateDeviceBeginsAtTheBarWithItsPlaceAndDisturbsNobody() throws {
    try withLoop { loop, rings, _, open in
      let first = try open(false)
      rings.schedule.publish(VirtualRhythm.schedule())
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(300))
      _ = try receive(first)
      let late = try open(false)
      _ = loop.obey()
      loop.play(from: .milliseconds(300), to: .milliseconds(2000))
      // A bar has 96 ticks of 20 ms: it begins at 1920 ms, with step 16.
      let begin = [heard(.songPosition(UInt14(clamping: 16)), at: 96), heard(.continue, at: 96)]
      #expect(try receive(late) == begin + clocks(96..<101))
      #expect(try receive(first) == clocks(16..<101))
    }
  }

  @Test func continuingSendsThePlace() throws {
    try withLoop { loop, rings, _, open in
      let device = try open(false)
      rings.schedule.publish(VirtualRhythm.schedule(start: 6 * 20_000))
      _ = loop.obey()
      loop.play(from: .milliseconds(-20), to: .milliseconds(1))
      // 14 bits: modulo the largest multiple of the pattern's 16 steps that fits, 16384.
      let messages = try receive(device).map(\.message)
      #expect(messages == [.songPosition(UInt14(clamping: 20_000 - 16_384)), .continue, .clock])
    }
  }

  @Test func aReceiverThatTurnsOutToHonourStampsMissesNoTick() throws {
    try withLoop { loop, rings, _, open in
      let device = try open(false)
      rings.schedule.publish(VirtualRhythm.schedule())
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(405))
      let before = try receive(device)
      let id = loop.streams.sessions[0]
      rings.commands.push(.stamp(session: id, true))
      _ = loop.obey()
      loop.play(from: .milliseconds(405), to: .milliseconds(500))
      #expect(try before + receive(device) == [heard(.start, at: 0)] + clocks(0..<30))
    }
  }

  /// All ticks of the run have left for those who go by time stamps when this one turns out to be one of them.
  @Test func norDoesOneThatTurnsOutSoJustBeforeTheEnd() throws {
    try withLoop { loop, rings, _, open in
      let device = try open(false)
      rings.schedule.publish(VirtualRhythm.schedule(end: 50))
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(945))
      rings.commands.push(.stamp(session: loop.streams.sessions[0], true))
      _ = loop.obey()
      loop.play(from: .milliseconds(945), to: .milliseconds(1100))
      #expect(try receive(device) == [heard(.start, at: 0)] + clocks(0..<50) + [heard(.stop, at: 50)])
    }
  }

  @Test func anotherRunInThePlaceOfThisOneStopsIt() throws {
    try withLoop { loop, rings, _, open in
      let device = try open(false)
      rings.schedule.publish(VirtualRhythm.schedule())
      _ = loop.obey()
      loop.play(from: .milliseconds(-20), to: .milliseconds(70))
      rings.schedule.publish(VirtualRhythm.schedule(run: 2, sends: false))
      loop.play(from: .milliseconds(70), to: .milliseconds(200))
      #expect(try receive(device).map(\.message) == [.start, .clock, .clock, .clock, .clock, .stop])
    }
  }

  @Test func beforeTheFirstRunThereIsNothingToDo() throws {
    try withLoop { loop, _, _, open in
      let device = try open(false)
      _ = loop.obey()
      let next = loop.round(at: VirtualRhythm.origin)
      #expect(next == .distantFuture)
      #expect(try receive(device) == [])
    }
  }
}
