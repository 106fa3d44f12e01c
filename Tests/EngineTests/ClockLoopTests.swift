import Audio
import BasicContainers
import CAllocationCount
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Rhythm
import Testing
import Transports

@testable import Engine
@testable import Ensemble

/// The clock thread's work by a virtual clock, its packets caught on loopback.
@Suite struct ClockLoopTests {
  /// What one receiver got: a word for each message, with its packet's time stamp.
  private struct Heard: Equatable {
    var message: Message
    var stamp: UInt32
  }

  private func receive(_ socket: UDPSocket) throws -> [Heard] {
    var heard: [Heard] = []
    var room = [UInt8](repeating: 0, count: 256)
    while let arrival = room.withUnsafeMutableBytes({ socket.receive(into: $0.baseAddress!, room: 256) }) {
      let packet = Array(room.prefix(arrival.length))
      let (header, payload) = try RTPHeader.decode(packet.span)
      var cursor = try CommandCursor(packet.span, payload: payload)
      while let command = try cursor.next(in: packet.span) {
        if case .message(let message) = command { heard.append(Heard(message: message, stamp: header.timestamp)) }
      }
    }
    return heard
  }

  /// A session's number; only an endpoint makes them.
  private func session() throws -> SessionID {
    let endpoint = Endpoint(name: "", identity: 0, random: SystemRandomNumberGenerator())
    func connect(_ port: UInt16) throws -> SessionID {
      let address = SocketAddress(host: 0x7F00_0001, port: port)
      return try endpoint.connect(to: address, data: address, at: VirtualRhythm.origin)
    }
    for port in 0..<UInt16.random(in: 0..<100) { _ = try connect(port) }
    return try connect(100)
  }

  private func withLoop(
    _ body: (inout ClockLoop, ClockRings, UDPSocket, _ open: (Bool) throws -> UDPSocket) throws -> Void
  ) throws {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    var receivers: [UDPSocket] = []
    defer {
      socket.close()
      for receiver in receivers { receiver.close() }
    }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    var used: Set<UInt64> = []
    try body(&loop, rings, socket) { isStamped in
      let receiver = try UDPSocket(port: 0)
      receivers.append(receiver)
      var id = try session()
      while !used.insert(id.number).inserted { id = try session() }
      let address = SocketAddress(host: 0x7F00_0001, port: receiver.port)
      rings.commands.push(.open(session: id, address: address, ssrc: 1, sequence: 0, takesClock: true))
      if isStamped {
        rings.commands.push(.recognise(session: id))
        rings.commands.push(.stamp(session: id, true))
      }
      return receiver
    }
  }

  private func clocks(_ ticks: Range<Int64>) -> [Heard] {
    let plan = VirtualRhythm.plan()
    return ticks.map { Heard(message: .clock, stamp: RTPHeader.timestamp(of: plan.deadline(Tick($0)))) }
  }

  private func heard(_ message: Message, at tick: Int64) -> Heard {
    Heard(message: message, stamp: RTPHeader.timestamp(of: VirtualRhythm.plan().deadline(Tick(tick))))
  }

  @Test func startTheTicksDueStop() throws {
    try withLoop { loop, rings, _, open in
      let onArrival = try open(false)
      let stamped = try open(true)
      rings.plan.publish(VirtualRhythm.plan(end: 50))
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
      rings.plan.publish(VirtualRhythm.plan())
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
      rings.plan.publish(VirtualRhythm.plan(start: 6 * 20_000))
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
      rings.plan.publish(VirtualRhythm.plan())
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
      rings.plan.publish(VirtualRhythm.plan(end: 50))
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(945))
      rings.commands.push(.stamp(session: loop.streams.sessions[0], true))
      _ = loop.obey()
      loop.play(from: .milliseconds(945), to: .milliseconds(1100))
      #expect(try receive(device) == [heard(.start, at: 0)] + clocks(0..<50) + [heard(.stop, at: 50)])
    }
  }

  /// Nothing is near: all guard packets go at once. Something is: a slice goes before it, and what is left after it.
  @Test(arguments: [false, true]) func guardPacketsLetTheRhythmGoFirst(isNear: Bool) throws {
    try withLoop { loop, rings, _, open in
      let devices = try (0..<20).map { _ in try open(false) }
      rings.plan.publish(VirtualRhythm.plan(end: 1))
      _ = loop.obey()
      for session in loop.streams.sessions { rings.commands.push(.journal(session: session, true)) }
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(40))
      let before = loop.streams.sent
      #expect(before == 60, "Start, a tick and Stop")
      // The first step is handed to the sound at 150 ms, which the machine's clock has passed.
      if isNear { rings.plan.publish(VirtualRhythm.plan(run: 2, at: VirtualRhythm.origin + .milliseconds(200))) }
      var next = VirtualRhythm.origin + .milliseconds(50)
      var guards: [Int64] = []
      for _ in 0..<3 {
        let sent = loop.streams.sent
        next = loop.round(at: next)
        guards.append(loop.streams.sent - sent)
      }
      #expect(guards == (isNear ? [8, 8, 8] : [20, 20, 20]))
      var room = [UInt8](repeating: 0, count: 256)
      for device in devices {
        var packets = 0
        while room.withUnsafeMutableBytes({ device.receive(into: $0.baseAddress!, room: 256) }) != nil { packets += 1 }
        #expect(packets > 3, "the last are not left out for the first, which are due again")
      }
    }
  }

  @Test func anotherRunInThePlaceOfThisOneStopsIt() throws {
    try withLoop { loop, rings, _, open in
      let device = try open(false)
      rings.plan.publish(VirtualRhythm.plan())
      _ = loop.obey()
      loop.play(from: .milliseconds(-20), to: .milliseconds(70))
      rings.plan.publish(VirtualRhythm.plan(run: 2, sends: false))
      loop.play(from: .milliseconds(70), to: .milliseconds(200))
      #expect(try receive(device).map(\.message) == [.start, .clock, .clock, .clock, .clock, .stop])
    }
  }

  /// To Tutti peers on this player's channel, to others as the instrument sent them.
  @Test func messagesGoToWhomTheyAreForBetweenTicks() throws {
    try withLoop { loop, rings, _, open in
      let devices = [try open(false), try open(true)]
      _ = loop.obey()
      let messages = (60..<70).map { Message.noteOn(Channel(2)!, key: UInt7(clamping: $0), velocity: 100) }
      let others = messages.map { $0.on(Channel(7)!) }
      for message in messages { rings.messages.push(.sessions(message, at: nil, to: .tutti)) }
      for message in others { rings.messages.push(.sessions(message, at: nil, to: .foreign)) }
      // A tick within 200 us: they wait.
      let isHurried = loop.pass(before: MonotonicClock.now + .microseconds(200))
      #expect(!isHurried)
      #expect(rings.messages.count == 20)
      for device in devices { #expect(try receive(device) == []) }
      while loop.pass(before: .distantFuture) {}
      #expect(try receive(devices[0]).map(\.message) == others)
      #expect(try receive(devices[1]).map(\.message) == messages)
    }
  }

  /// It gets what is played, and no clock, unless it turns out to be a Tutti peer.
  @Test(arguments: [false, true]) func whoGivesTheClockDoesNotGetItBack(isTutti: Bool) throws {
    try withLoop { loop, rings, _, _ in
      let receiver = try UDPSocket(port: 0)
      defer { receiver.close() }
      let (id, address) = (try session(), SocketAddress(host: 0x7F00_0001, port: receiver.port))
      rings.commands.push(.open(session: id, address: address, ssrc: 1, sequence: 0, takesClock: false))
      if isTutti { rings.commands.push(.recognise(session: id)) }
      rings.plan.publish(VirtualRhythm.plan())
      _ = loop.obey()
      loop.play(from: .milliseconds(-20), to: .milliseconds(70))
      rings.messages.push(
        .sessions(.noteOn(Channel(2)!, key: 60, velocity: 100), at: nil, to: isTutti ? .tutti : .foreign))
      _ = loop.pass(before: .distantFuture)
      rings.plan.publish(VirtualRhythm.plan(run: 2, sends: false))
      loop.play(from: .milliseconds(70), to: .milliseconds(200))
      let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
      #expect(
        try receive(receiver).map(\.message)
          == (isTutti ? [.start, .clock, .clock, .clock, .clock, note, .stop] : [note]))
    }
  }

  @Test func aStatementLeavesBeforeTheTicksItIsAbout() throws {
    try withLoop { loop, rings, _, open in
      let receivers = try (0..<20).map { _ in try open(true) }
      rings.plan.publish(VirtualRhythm.plan())
      rings.commands.push(.exclusive(try #require(ClockCommand.Exclusive([0x7D, 1])), session: nil))
      _ = loop.obey()
      _ = loop.round(at: VirtualRhythm.origin - .milliseconds(60))
      while loop.pass(before: .distantFuture) {}
      for receiver in receivers {
        var room = [UInt8](repeating: 0, count: 256)
        var commands: [UInt8] = []
        while let arrival = room.withUnsafeMutableBytes({ receiver.receive(into: $0.baseAddress!, room: 256) }) {
          let packet = Array(room.prefix(arrival.length))
          // Behind the header of the list.
          commands.append(packet[try RTPHeader.decode(packet.span).payload.start + 1])
        }
        #expect(commands == [0xFA, 0xF0, 0xF8, 0xF8])
      }
    }
  }

  /// Start, statement, ticks and Stop alike; to anybody else, what leaves is as it always was.
  @Test func whatGoesToATuttiPeerSaysWhenItLeft() throws {
    try withLoop { loop, rings, _, open in
      let (foreign, tutti) = (try open(false), try open(true))
      rings.plan.publish(VirtualRhythm.plan(end: 5))
      rings.commands.push(.exclusive(try #require(ClockCommand.Exclusive([0x7D, 1])), session: nil))
      _ = loop.obey()
      let before = MonotonicClock.now
      loop.play(from: .milliseconds(-100), to: .milliseconds(200))
      for (receiver, says, count) in [(foreign, false, 7), (tutti, true, 8)] {
        var room = [UInt8](repeating: 0, count: 256)
        var instants: [Instant] = []
        while let arrival = room.withUnsafeMutableBytes({ receiver.receive(into: $0.baseAddress!, room: 256) }) {
          let header = try RTPHeader.decode(Array(room.prefix(arrival.length)).span).header
          #expect((header.instant != nil) == says && room[0] == (says ? 0x90 : 0x80))
          // The kernel's stamp is of another clock, put right to some microseconds.
          if let instant = header.instant { #expect(instant <= arrival.at + .microseconds(50)) }
          instants.append(header.instant ?? before)
        }
        #expect(instants.count == count && instants == instants.sorted() && instants[0] >= before)
        #expect(Set(instants).count == (says ? count : 1))
      }
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

  @Test func stepsReachTheSoundAheadAndInOrder() throws {
    try withLoop { loop, rings, _, _ in
      rings.plan.publish(VirtualRhythm.plan(end: 96))
      loop.play(from: .milliseconds(-51), to: .milliseconds(-50))
      var expected = SoundEvent(instant: VirtualRhythm.origin, note: 36, velocity: 88, group: 0)
      expected.handed = VirtualRhythm.origin - .milliseconds(50)
      #expect(rings.sounds.pop() == expected)
      loop.play(from: .milliseconds(-50), to: .milliseconds(2000))
      for quarter in 1...3 {
        #expect(rings.sounds.pop()?.instant == VirtualRhythm.origin + .milliseconds(480 * Int64(quarter)))
      }
      #expect(rings.sounds.pop() == nil)
    }
  }

  /// Through the card and into the recording, in order, between what goes elsewhere.
  @Test(arguments: [false, true]) func whatIsToSoundReachesTheSoundAtOnce(records: Bool) throws {
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
      rings.messages.push(.sessions(message, at: nil, to: .foreign))
      rings.messages.push(.sound(message))
    }
    let before = MonotonicClock.now
    let hasMore = loop.pass(before: .distantFuture)
    let after = MonotonicClock.now
    #expect(!hasMore)
    for (ring, isUsed) in [(rings.sounds, true), (rings.recorded, records)] {
      var events: [SoundEvent] = []
      while let event = ring.pop() { events.append(event) }
      #expect(events.map(\.kind) == (isUsed ? messages.map { .message($0) } : []))
      #expect(events.allSatisfy { $0.instant == $0.handed && $0.handed >= before && $0.handed <= after })
      #expect(events.map(\.instant) == events.map(\.instant).sorted())
    }
    // What is asked for last, as the notes end when a peer leaves.
    rings.messages.push(.sound(messages[3]))
    rings.commands.push(.quit)
    let goesOn = loop.obey()
    #expect(!goesOn && rings.sounds.pop()?.kind == .message(messages[3]))
  }

  @Test func tenThousandTicksAllocateNothing() throws {
    try withLoop { loop, rings, _, open in
      let receivers = [try open(false), try open(true), try open(true)]
      let end: Int64 = 10_000
      let change = Statement.TempoChange(tempo: try Tempo(bpm: 180), tick: Tick(5_000))
      rings.plan.publish(VirtualRhythm.plan(end: end, change: change))
      let exclusive = try #require(ClockCommand.Exclusive([UInt8](repeating: 0x7D, count: 78)))
      _ = loop.obey()
      // Once beforehand, so that the runtime has met every type.
      _ = loop.round(at: VirtualRhythm.origin - .milliseconds(95))
      allocation_count_begin()
      var next = VirtualRhythm.origin - .milliseconds(95)
      while next < .distantFuture {
        next = loop.round(at: next)
        while rings.ticks.pop() != nil {}
        while rings.sounds.pop() != nil {}
        while loop.pass(before: .distantFuture) {}
        rings.commands.push(.exclusive(exclusive, session: nil))
        rings.messages.push(.sound(.noteOn(Channel(wire: 1), key: 60, velocity: 100)))
        _ = loop.obey()
      }
      let allocations = allocation_count_end()
      #expect(allocations == 0)
      #expect(rings.counters.take()?.ticks == end)
      for receiver in receivers { #expect(try !receive(receiver).isEmpty) }
    }
  }
}
