import CAllocationCount
import MIDI
import MusicalTime
import Realtime
import Testing
import Transports
import _TestSupport

@testable import Engine

/// The messages of the ALSA clock port on virtual time.
@Suite(.serialized, .enabled(if: Lab.hasSequencer, "\(Lab.needsSequencer)")) struct ClockPortTests {
  /// Two programs besides the player: `device` subscribes to the clock from the beginning, `late` does not.
  private struct Studio {
    let rings = ClockRings()
    let player: Sequencer
    let device: Instrument
    let late: Instrument

    /// Connects `late` to the clock and notifies the clock thread.
    func connectLate() throws {
      try late.hear("Player clock")
      rings.commands.push(.subscribed(late.address))
    }
  }

  private func withStudio(_ body: (inout ClockLoop, Studio) throws -> Void) throws {
    let socket = try UDPSocket(port: 0)
    let player = try Sequencer(name: "Player", takingClock: false)
    defer {
      player.close()
      socket.close()
    }
    let studio = Studio(player: player, device: try Instrument("Device"), late: try Instrument("Late"))
    try studio.device.hear("Player clock")
    var loop = try VirtualRhythm.loop(studio.rings, on: socket, sequencer: player)
    try body(&loop, studio)
  }

  private func clocks(_ count: Int) -> [Message] { Array(repeating: .clock, count: count) }

  private func note(_ key: Int) -> Message { .noteOn(Channel(3)!, key: UInt7(clamping: key), velocity: 100) }

  @Test(arguments: [true, false]) func portCarriesStartTicksAndStopOfMasterAndFollower(sends: Bool) throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule(sends: sends, end: 50))
      loop.play(from: .milliseconds(-100), to: .microseconds(-10_500))
      #expect(studio.device.heard() == [])
      // Start is sent 10 ms ahead, then each tick at its due time.
      loop.play(from: .milliseconds(-10), to: .microseconds(-500))
      #expect(studio.device.heard() == [.start])
      loop.play(from: .zero, to: .microseconds(19_500))
      #expect(studio.device.heard() == [.clock])
      loop.play(from: .milliseconds(20), to: .microseconds(999_500))
      #expect(studio.device.heard() == clocks(49))
      loop.play(from: .milliseconds(1000), to: .milliseconds(2000))
      #expect(studio.device.heard() == [.stop])
      #expect(studio.rings.counters.take()?.unsentToPort == 0)
    }
  }

  @Test func loopHasNothingToDoBeforeTheFirstRunAndAfterTheLast() throws {
    try withStudio { loop, studio in
      let late = VirtualRhythm.origin + .seconds(1000)
      var next = loop.advance(to: VirtualRhythm.origin)
      #expect(next == .distantFuture)
      next = loop.advance(to: late)
      #expect(next == .distantFuture)
      #expect(studio.device.heard() == [])
      studio.rings.schedule.publish(VirtualRhythm.schedule(end: 6))
      loop.play(from: .milliseconds(-100), to: .milliseconds(500))
      #expect(studio.device.heard().last == .stop)
      next = loop.advance(to: late)
      #expect(next == .distantFuture)
      #expect(studio.device.heard() == [])
    }
  }

  @Test func continuationSendsTheSongPosition() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule(start: 6 * 20_000))
      loop.play(from: .milliseconds(-20), to: .milliseconds(1))
      // 14 bits: modulo the largest multiple of the pattern's 16 steps that fits, 16384.
      #expect(studio.device.heard() == [.songPosition(UInt14(clamping: 20_000 - 16_384)), .continue, .clock])
    }
  }

  @Test func lateJoinerAloneGetsTheSongPositionBeforeTheBar() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(305))
      try studio.connectLate()
      loop.play(from: .milliseconds(305), to: .milliseconds(2005))
      // A bar has 96 ticks of 20 ms: it begins at 1920 ms, with step 16. Connected, it hears ticks 16...95 too.
      #expect(studio.late.heard() == clocks(80) + [.songPosition(16), .continue] + clocks(5))
      #expect(studio.device.heard() == [.start] + clocks(101))
      // Only once.
      loop.play(from: .milliseconds(2005), to: .milliseconds(4005))
      #expect(studio.late.heard() == clocks(100))
    }
  }

  @Test func subscriberThatReconnectsWithinTheBarGetsOneSongPosition() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(305))
      try studio.connectLate()
      try studio.late.stopHearing("Player clock")
      try studio.connectLate()
      loop.play(from: .milliseconds(305), to: .milliseconds(2005))
      #expect(studio.late.heard() == clocks(80) + [.songPosition(16), .continue] + clocks(5))
    }
  }

  @Test func subscriberBeforeTheStartGetsNoSongPosition() throws {
    try withStudio { loop, studio in
      try studio.connectLate()
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(2005))
      #expect(studio.late.heard() == [.start] + clocks(101))
    }
  }

  /// Messages to late joiners that have left are counted as not sent. Late joiners beyond the capacity get no song position.
  @Test func lateJoinersThatLeaveOrAreTooManyDisturbNoOtherSubscriber() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(305))
      // Client 250 does not exist.
      for port in UInt8(0)..<40 {
        studio.rings.commands.push(.subscribed(SequencerAddress(client: 250, port: port)))
      }
      try studio.connectLate()
      loop.play(from: .milliseconds(305), to: .milliseconds(2005))
      #expect(studio.device.heard() == [.start] + clocks(101))
      #expect(studio.late.heard() == clocks(85))
      // 32 have room, with two messages each.
      #expect(studio.rings.counters.take()?.unsentToPort == 64)
    }
  }

  @Test func newRunStopsThePreviousOne() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(70))
      #expect(studio.device.heard() == [.start] + clocks(4))
      let second = VirtualRhythm.origin + .milliseconds(500)
      studio.rings.schedule.publish(VirtualRhythm.schedule(run: 2, start: 96, at: second))
      loop.play(from: .milliseconds(70), to: .milliseconds(480))
      #expect(studio.device.heard() == [.stop])
      loop.play(from: .milliseconds(480), to: .milliseconds(545))
      #expect(studio.device.heard() == [.songPosition(16), .continue] + clocks(3))
    }
  }

  @Test func quittingSendsStopDuringARun() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(25))
      studio.rings.commands.push(.quit)
      let continues = loop.execute()
      #expect(!continues)
      #expect(studio.device.heard() == [.start, .clock, .clock, .stop])
    }
  }

  @Test func quittingSendsNothingWithoutARun() throws {
    try withStudio { loop, studio in
      studio.rings.commands.push(.quit)
      let continues = loop.execute()
      #expect(!continues)
      #expect(studio.device.heard() == [])
    }
  }

  @Test func messagesOfOtherPlayersLeaveTheNotesPortBetweenTicks() throws {
    try withStudio { loop, studio in
      try studio.late.hear("Player notes")
      studio.rings.schedule.publish(VirtualRhythm.schedule(sends: false))
      loop.advance(to: VirtualRhythm.origin - .milliseconds(60))
      for key in 60..<70 { studio.rings.messages.push(.port(note(key))) }
      // A deadline within 200 us: the messages wait. The first step is due 50 ms before the origin.
      let next = loop.advance(to: VirtualRhythm.origin - .microseconds(50_200))
      #expect(next == VirtualRhythm.origin - .milliseconds(50))
      #expect(studio.late.heard() == [] && studio.rings.messages.count == 10)
      loop.advance(to: VirtualRhythm.origin - .milliseconds(49))
      #expect(studio.rings.messages.count == 0)
      #expect(studio.late.heard() == (60..<70).map { note($0) })
      #expect(studio.device.heard() == [], "the clock port is for the clock")
    }
  }

  @Test func tenThousandTicksAllocateNothing() throws {
    try withStudio { loop, studio in
      let rings = studio.rings
      try studio.late.hear("Player notes")
      rings.schedule.publish(VirtualRhythm.schedule(end: 10_000))
      loop.advance(to: VirtualRhythm.origin - .milliseconds(95))
      allocation_count_begin()
      var next = VirtualRhythm.origin - .milliseconds(95)
      var (heard, notes, rounds) = (0, 0, 0)
      while next < .distantFuture, rounds < 50_000 {
        rings.messages.push(.port(.noteOff(Channel(3)!, key: 60, velocity: 0)))
        rings.commands.push(.subscribed(studio.late.address))
        next = loop.advance(to: next)
        rounds += 1
        while rings.ticks.pop() != nil {}
        while rings.sounds.pop() != nil {}
        heard += studio.device.countHeard()
        notes += studio.late.countHeard()
      }
      let allocations = allocation_count_end()
      #expect(allocations == 0)
      #expect(heard == 10_002, "Start, the ticks, Stop")
      // A note in each round, and the song position before each of 104 bars.
      #expect(notes == rounds + 208)
      // At most three times per tick: at its due time, 10 ms ahead and 95 ms ahead.
      #expect(rounds < 30_010)
      #expect(rings.counters.take()?.unsentToPort == 0)
    }
  }
}
