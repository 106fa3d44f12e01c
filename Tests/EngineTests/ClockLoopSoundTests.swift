import Audio
import BasicContainers
import CAllocationCount
import MIDI
import MusicalTime
import Realtime
import Sending
import Testing
import Transports

@testable import Engine
@testable import Ensemble

/// Tests that the clock loop passes events to the synthesizer and allocates no memory.
@Suite struct ClockLoopSoundTests: ClockLoopSuite {
  @Test func stepsReachTheSynthesizerAheadOfTimeAndInOrder() throws {
    try withLoop { loop, rings, _, _ in
      rings.schedule.publish(VirtualRhythm.schedule(end: 96))
      // A kick sounds on each quarter note (480 ms), and a hit is passed to the sound 50 ms ahead. 88 is the normal velocity.
      loop.play(from: .milliseconds(-51), to: .milliseconds(-50))
      var expected = SoundEvent(instant: VirtualRhythm.origin, note: 36, velocity: 88, group: 0)
      expected.submitted = VirtualRhythm.origin - .milliseconds(50)
      #expect(rings.sounds.pop() == expected)
      loop.play(from: .milliseconds(-50), to: .milliseconds(2000))
      for quarter in 1...3 {
        #expect(rings.sounds.pop()?.instant == VirtualRhythm.origin + .milliseconds(480 * Int64(quarter)))
      }
      #expect(rings.sounds.pop() == nil)
    }
  }

  /// The kicks are 480 ms apart. Each is passed to the sound once, first 50 ms and then 200 ms ahead.
  @Test func hitsLeaveEarlierWhenTheDelayOfTheSoundHasIncreased() throws {
    try withLoop { loop, rings, _, _ in
      rings.schedule.publish(VirtualRhythm.schedule(end: 96))
      loop.play(from: .milliseconds(-51), to: .milliseconds(0))
      rings.commands.push(.soundLead(.milliseconds(200)))
      loop.play(from: .milliseconds(0), to: .milliseconds(2000))
      var events: [SoundEvent] = []
      while let event = rings.sounds.pop() { events.append(event) }
      #expect(events.map { ($0.instant - VirtualRhythm.origin).milliseconds } == [0, 480, 960, 1440])
      #expect(events.map { ($0.instant - $0.submitted).milliseconds } == [50, 200, 200, 200])
    }
  }

  /// The sound card and the recording get the messages in order, although messages to other receivers are in between.
  @Test(arguments: [false, true]) func messagesReachTheSynthesizerImmediately(records: Bool) throws {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    var loop = try VirtualRhythm.loop(rings, on: socket, records: records)
    let channel = Channel(2)!
    let messages: [Message] = [
      .programChange(channel, program: 19), .noteOn(channel, key: 60, velocity: 100), .pitchBend(channel, 16_383),
      .noteOff(channel, key: 60, velocity: 64),
    ]
    for message in messages {
      rings.messages.push(.stream(StreamMessage(message, at: nil, to: .standardDevices)))
      rings.playedSounds.push(message)
    }
    let before = MonotonicClock.now
    loop.advance(to: VirtualRhythm.origin)
    let after = MonotonicClock.now
    #expect(rings.messages.count == 0)
    for (ring, isUsed) in [(rings.sounds, true), (rings.recorded, records)] {
      var events: [SoundEvent] = []
      while let event = ring.pop() { events.append(event) }
      #expect(events.map(\.kind) == (isUsed ? messages.map { .message($0) } : []))
      #expect(events.allSatisfy { $0.instant == $0.submitted && $0.submitted >= before && $0.submitted <= after })
      #expect(events.map(\.instant) == events.map(\.instant).sorted())
    }
    // A message that was submitted before the command to quit is still played. Such a message ends a note when a peer leaves.
    rings.playedSounds.push(messages[3])
    rings.commands.push(.quit)
    let continues = loop.execute()
    #expect(!continues && rings.sounds.pop()?.kind == .message(messages[3]))
  }

  /// The player's note is submitted after a message to a hundred peers. It sounds before the second packet of this message.
  @Test func soundGoesBeforeBroadcasts() throws {
    try withLoop { loop, rings, _, open in
      for _ in 0..<100 { _ = try open(.timeStamped) }
      loop.advance(to: VirtualRhythm.origin)
      let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
      rings.messages.push(.stream(StreamMessage(note, at: nil, to: .tuttiPeers)))
      _ = loop.step(at: VirtualRhythm.origin)
      let sent = loop.sender.sent
      rings.playedSounds.push(note)
      _ = loop.step(at: VirtualRhythm.origin)
      #expect(rings.sounds.pop()?.kind == .message(note))
      #expect(loop.sender.sent <= sent + 1 && !loop.sender.isReady, "the message must be in progress")
    }
  }

  /// A player who leaves ends more notes at once than the loop passes on in one step.
  @Test func allSoundsArePassedOnBeforeTheLoopWaits() throws {
    try withLoop { loop, rings, _, _ in
      let count = 3 * ClockLoop.slice
      for _ in 0..<count { rings.playedSounds.push(.noteOff(Channel(2)!, key: 60, velocity: 64)) }
      _ = loop.step(at: VirtualRhythm.origin)
      let mayWait = !loop.hasMore
      #expect(rings.sounds.count == ClockLoop.slice && !mayWait)
      loop.advance(to: VirtualRhythm.origin)
      #expect(rings.sounds.count == count)
    }
  }

  @Test func tenThousandTicksAllocateNothing() throws {
    try withLoop { loop, rings, _, open in
      let receivers = [try open(.playOnArrival), try open(.timeStamped), try open(.timeStamped)]
      let end: Int64 = 10_000
      let change = TempoChange(tempo: try Tempo(bpm: 180), tick: Tick(5_000))
      rings.schedule.publish(VirtualRhythm.schedule(end: end, change: change))
      let exclusive = try #require(SystemExclusiveData([UInt8](repeating: 0x7D, count: 78)))
      // A first pass, because the Swift runtime allocates type metadata at first use.
      loop.advance(to: VirtualRhythm.origin - .milliseconds(95))
      allocation_count_begin()
      var next = VirtualRhythm.origin - .milliseconds(95)
      while next < .distantFuture {
        next = loop.advance(to: next)
        while rings.ticks.pop() != nil {}
        while rings.sounds.pop() != nil {}
        rings.commands.push(.stream(.exclusive(exclusive, to: nil, isJournalled: false)))
        rings.playedSounds.push(.noteOn(Channel(wire: 1), key: 60, velocity: 100))
      }
      let allocations = allocation_count_end()
      #expect(allocations == 0)
      #expect(rings.counters.take()?.ticks == end)
      for receiver in receivers { #expect(try !receive(receiver).isEmpty) }
    }
  }
}
