import CAllocationCount
import MIDI
import MusicalTime
import Realtime
import Testing
import Transports
import _TestSupport

@testable import Engine

/// Tests of the messages that the clock loop sends from the ALSA ports of the player, on virtual time.
@Suite(.serialized, .enabled(if: Lab.hasSequencer, "\(Lab.needsSequencer)")) struct ClockPortTests {
  /// The ALSA client of the player, and two other MIDI programs. `device` subscribes to the clock from the beginning. `late`
  /// subscribes later or never.
  private struct Studio {
    let rings = ClockRings()
    let player: Sequencer
    let device: MIDIProgram
    let late: MIDIProgram

    /// Subscribes `late` to the clock and notifies the clock thread.
    func connectLate() throws {
      try late.subscribe(to: "Player clock")
      rings.commands.push(.subscribed(late.address))
    }
  }

  /// Calls `body` with a clock loop that plays to the clock port of the player. A tick lasts 20 ms.
  private func withStudio(
    offsets: [Nanoseconds] = [], _ body: (inout ClockLoop, Studio) throws -> Void
  ) throws {
    let socket = try UDPSocket(port: 0)
    let player = try Sequencer(name: "Player", takingClock: false)
    defer {
      player.close()
      socket.close()
    }
    let studio = Studio(player: player, device: try MIDIProgram("Device"), late: try MIDIProgram("Late"))
    try studio.device.subscribe(to: "Player clock")
    var loop = try VirtualRhythm.loop(studio.rings, on: socket, sequencer: player, offsets: offsets)
    try body(&loop, studio)
  }

  private func clocks(_ count: Int) -> [Message] { Array(repeating: .clock, count: count) }

  private func note(_ key: Int) -> Message { .noteOn(Channel(3)!, key: UInt7(clamping: key), velocity: 100) }

  @Test(arguments: [true, false]) func portCarriesStartTicksAndStopOfMasterAndFollower(sends: Bool) throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule(sends: sends, end: 50))
      loop.play(from: .milliseconds(-100), to: .microseconds(-10_500))
      #expect(studio.device.takeMessages() == [])
      // Start is sent 10 ms ahead, then each tick at its due time.
      loop.play(from: .milliseconds(-10), to: .microseconds(-500))
      #expect(studio.device.takeMessages() == [.start])
      loop.play(from: .zero, to: .microseconds(19_500))
      #expect(studio.device.takeMessages() == [.clock])
      loop.play(from: .milliseconds(20), to: .microseconds(999_500))
      #expect(studio.device.takeMessages() == clocks(49))
      loop.play(from: .milliseconds(1000), to: .milliseconds(2000))
      #expect(studio.device.takeMessages() == [.stop])
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
      #expect(studio.device.takeMessages() == [])
      studio.rings.schedule.publish(VirtualRhythm.schedule(end: 6))
      loop.play(from: .milliseconds(-100), to: .milliseconds(500))
      #expect(studio.device.takeMessages().last == .stop)
      next = loop.advance(to: late)
      #expect(next == .distantFuture)
      #expect(studio.device.takeMessages() == [])
    }
  }

  @Test func continuationSendsTheSongPosition() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule(start: 6 * 20_000))
      loop.play(from: .milliseconds(-20), to: .milliseconds(1))
      // Tick 6 * 20 000 begins step 20 000. A song position has 14 bits, so it is less than 16384. It is the step modulo the largest
      // multiple of the pattern length that is at most 16384. A pattern of 16 steps gives 16384.
      #expect(studio.device.takeMessages() == [.songPosition(UInt14(clamping: 20_000 - 16_384)), .continue, .clock])
    }
  }

  @Test func onlyTheLateJoinerGetsTheSongPositionBeforeTheBar() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(305))
      try studio.connectLate()
      loop.play(from: .milliseconds(305), to: .milliseconds(2005))
      // A bar has 96 ticks of 20 ms, so the second bar begins at 1920 ms, with step 16. The late joiner subscribes at 305 ms. Before
      // the second bar, it receives the 80 ticks 16...95. Up to 2005 ms, both programs receive the ticks up to 100.
      #expect(studio.late.takeMessages() == clocks(80) + [.songPosition(16), .continue] + clocks(5))
      #expect(studio.device.takeMessages() == [.start] + clocks(101))
      // The next bar begins at 3840 ms, without a further song position.
      loop.play(from: .milliseconds(2005), to: .milliseconds(4005))
      #expect(studio.late.takeMessages() == clocks(100))
    }
  }

  @Test func subscriberThatReconnectsWithinTheBarGetsOneSongPosition() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(305))
      try studio.connectLate()
      try studio.late.unsubscribe(from: "Player clock")
      try studio.connectLate()
      loop.play(from: .milliseconds(305), to: .milliseconds(2005))
      #expect(studio.late.takeMessages() == clocks(80) + [.songPosition(16), .continue] + clocks(5))
    }
  }

  @Test func subscriberBeforeTheStartGetsNoSongPosition() throws {
    try withStudio { loop, studio in
      try studio.connectLate()
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(2005))
      #expect(studio.late.takeMessages() == [.start] + clocks(101))
    }
  }

  /// Messages to late joiners that have left are counted as not sent. The list of late joiners has room for 32. A further late
  /// joiner gets no song position.
  @Test func lateJoinersThatLeaveOrAreTooManyDisturbNoOtherSubscriber() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(305))
      // Forty late joiners that have left: the sequencer has no client 250.
      for port in UInt8(0)..<40 {
        studio.rings.commands.push(.subscribed(SequencerAddress(client: 250, port: port)))
      }
      try studio.connectLate()
      loop.play(from: .milliseconds(305), to: .milliseconds(2005))
      #expect(studio.device.takeMessages() == [.start] + clocks(101))
      #expect(studio.late.takeMessages() == clocks(85))
      // The 32 late joiners in the list all have client 250. Two messages to each of them fail: song position and Continue.
      #expect(studio.rings.counters.take()?.unsentToPort == 64)
    }
  }

  @Test func idleClockTicksBeforeStartAndAfterStop() throws {
    try withStudio { loop, studio in
      studio.rings.commands.push(
        .idleTempo(Tempo(nanosecondsPerQuarter: 480_000_000)!, at: VirtualRhythm.origin - .milliseconds(195)))
      studio.rings.schedule.publish(VirtualRhythm.schedule(end: 10))
      loop.play(from: .milliseconds(-200), to: .milliseconds(-11))
      #expect(studio.device.takeMessages() == clocks(10))
      loop.play(from: .milliseconds(-10), to: .milliseconds(199))
      #expect(studio.device.takeMessages() == [.start] + clocks(10))
      loop.play(from: .milliseconds(200), to: .milliseconds(205))
      #expect(studio.device.takeMessages() == [.stop, .clock])
      // Ticks of the idle clock are no ticks of the rhythm.
      var ticks = 0
      while studio.rings.ticks.pop() != nil { ticks += 1 }
      #expect(ticks == 10)
    }
  }

  /// While `late` has an offset, each subscriber gets its own messages. After `late` has left, the port sends to all subscribers again.
  @Test(arguments: [-70, 33]) func subscriberWithAnOffsetGetsShiftedMessages(offset: Int64) throws {
    try withStudio(offsets: [.milliseconds(offset)]) { loop, studio in
      try studio.late.subscribe(to: "Player clock")
      studio.rings.commands.push(.subscribed(studio.device.address))
      studio.rings.commands.push(.subscribed(studio.late.address, offset: .milliseconds(offset)))
      studio.rings.schedule.publish(VirtualRhythm.schedule(end: 10))
      loop.play(from: .milliseconds(-200), to: .milliseconds(offset) - .microseconds(10_500))
      #expect(studio.late.takeMessages() == [])
      loop.play(from: .milliseconds(offset - 10), to: .milliseconds(offset) - .microseconds(500))
      #expect(studio.late.takeMessages() == [.start])
      loop.play(from: .milliseconds(offset), to: .milliseconds(offset + 199))
      #expect(studio.late.takeMessages() == clocks(10))
      loop.play(from: .milliseconds(offset + 200), to: .milliseconds(300))
      #expect(studio.late.takeMessages() == [.stop])
      #expect(studio.device.takeMessages() == [.start] + clocks(10) + [.stop])
      studio.rings.commands.push(.unsubscribed(studio.late.address))
      studio.rings.schedule.publish(
        VirtualRhythm.schedule(run: 2, end: 1, at: VirtualRhythm.origin + .milliseconds(500)))
      loop.play(from: .milliseconds(300), to: .milliseconds(600))
      // `late` is still connected in the kernel, which shows that the port sends to all subscribers.
      for program in [studio.device, studio.late] { #expect(program.takeMessages() == [.start, .clock, .stop]) }
      #expect(studio.rings.counters.take()?.unsentToPort == 0)
    }
  }

  @Test func newRunStopsThePreviousOne() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(70))
      #expect(studio.device.takeMessages() == [.start] + clocks(4))
      // The second run begins at tick 96, which begins step 16.
      let second = VirtualRhythm.origin + .milliseconds(500)
      studio.rings.schedule.publish(VirtualRhythm.schedule(run: 2, start: 96, at: second))
      loop.play(from: .milliseconds(70), to: .milliseconds(480))
      #expect(studio.device.takeMessages() == [.stop])
      loop.play(from: .milliseconds(480), to: .milliseconds(545))
      #expect(studio.device.takeMessages() == [.songPosition(16), .continue] + clocks(3))
    }
  }

  @Test func quittingSendsStopDuringARun() throws {
    try withStudio { loop, studio in
      studio.rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-20), to: .milliseconds(25))
      studio.rings.commands.push(.quit)
      let continues = loop.execute()
      #expect(!continues)
      #expect(studio.device.takeMessages() == [.start, .clock, .clock, .stop])
    }
  }

  @Test func quittingSendsNothingWithoutARun() throws {
    try withStudio { loop, studio in
      studio.rings.commands.push(.quit)
      let continues = loop.execute()
      #expect(!continues)
      #expect(studio.device.takeMessages() == [])
    }
  }

  @Test func messagesOfOtherPlayersLeaveTheNotesPortBetweenTicks() throws {
    try withStudio { loop, studio in
      try studio.late.subscribe(to: "Player notes")
      studio.rings.schedule.publish(VirtualRhythm.schedule(sends: false))
      loop.advance(to: VirtualRhythm.origin - .milliseconds(60))
      for key in 60..<70 { studio.rings.messages.push(.port(note(key))) }
      // The first step is passed to the sound 50 ms before the origin. This deadline is only 200 us away, so the
      // messages wait.
      let next = loop.advance(to: VirtualRhythm.origin - .microseconds(50_200))
      #expect(next == VirtualRhythm.origin - .milliseconds(50))
      #expect(studio.late.takeMessages() == [] && studio.rings.messages.count == 10)
      loop.advance(to: VirtualRhythm.origin - .milliseconds(49))
      #expect(studio.rings.messages.count == 0)
      #expect(studio.late.takeMessages() == (60..<70).map { note($0) })
      #expect(studio.device.takeMessages() == [], "the clock port is for the clock")
    }
  }

  @Test func tenThousandTicksAllocateNothing() throws {
    try withStudio { loop, studio in
      let rings = studio.rings
      try studio.late.subscribe(to: "Player notes")
      rings.schedule.publish(VirtualRhythm.schedule(end: 10_000))
      // This first pass is not counted, because the Swift runtime allocates type metadata at its first use.
      loop.advance(to: VirtualRhythm.origin - .milliseconds(95))
      allocation_count_begin()
      var next = VirtualRhythm.origin - .milliseconds(95)
      var (clockMessages, notes, rounds) = (0, 0, 0)
      // The limit of 50 000 rounds ends the test if the loop always has a next deadline.
      while next < .distantFuture, rounds < 50_000 {
        rings.messages.push(.port(.noteOff(Channel(3)!, key: 60, velocity: 0)))
        rings.commands.push(.subscribed(studio.late.address))
        next = loop.advance(to: next)
        rounds += 1
        while rings.ticks.pop() != nil {}
        while rings.sound.first.hits.pop() != nil {}
        clockMessages += studio.device.takeMessageCount()
        notes += studio.late.takeMessageCount()
      }
      let allocations = allocation_count_end()
      #expect(allocations == 0)
      #expect(clockMessages == 10_002, "Start, the ticks, Stop")
      // `late` gets a Note Off in each round. It also gets the song position and Continue before each bar after the first one. These are
      // 104 bars, because the last of them begins at tick 104 * 96 = 9984.
      #expect(notes == rounds + 208)
      // Each round is at an instant with work: 95 ms ahead of a bar (its song position and Continue over the network), 90 ms ahead of a
      // tick (the tick over the network), 50 ms ahead (hits), 10 ms ahead (the port), and at the tick. A tick lasts 20 ms, so the work
      // 50 ms and 90 ms ahead is due 10 ms ahead of an earlier tick, and the work 95 ms ahead of a bar is due 15 ms ahead of an earlier
      // tick. This leaves at most three instants per tick: 15 ms and 10 ms ahead, and at the tick.
      #expect(rounds < 30_010)
      #expect(rings.counters.take()?.unsentToPort == 0)
    }
  }
}
