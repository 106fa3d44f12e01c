import MIDI
import MusicalTime
import PeerProtocol
import Playback
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// Messages that arrive before the instants in their time stamps.
@Suite struct TimedMessageTests {
  private static let session = SessionID(number: 1)
  private static let now = Instant(nanoseconds: 1_000_000_000)
  private let channel = Channel(3)!

  private func on(_ key: UInt7 = 60) -> Message { .noteOn(channel, key: key, velocity: 100) }
  private func off(_ key: UInt7 = 60) -> Message { .noteOff(channel, key: key, velocity: 64) }

  /// A message that sounds.
  private struct Sound: Equatable {
    let message: Message
    /// When the message was passed to the sound.
    let at: Instant
    /// The instant at which the message sounds; nil if it sounds at once.
    let instant: Instant?
  }

  /// A receiver in session 1 with one remote peer. The clock of the remote peer is ahead of the local clock by `offset`, by default
  /// by more than eleven periods of the 32-bit time stamps. Notes are passed to the sound 50 ms ahead.
  private struct Peer: ~Copyable {
    var receiver = Receiver(identity: 1)
    var sounds: [Sound] = []
    /// The messages that the control thread got, and when.
    var reports: [(message: Message, at: Instant)] = []
    let offset: Nanoseconds
    private var sender = PacketSender(ssrc: 7, sequence: 0)
    /// The packets with notes that begin later. The following packets announce them: they repeat the time stamps of these packets.
    private var announced = AnnouncedPackets()
    private let address = SocketAddress(host: 1, port: 5005)

    init(offset: Nanoseconds = .seconds(5_000_000), knowsClock: Bool = true) {
      self.offset = offset
      receiver.add(SessionBlock())
      receiver.soundLead = .milliseconds(50)
      var admission = Admission()
      (admission.notes, admission.modification) = (true, true)
      let source = StreamSource(ssrc: 7, address: address, localSSRC: 1)
      receiver.execute(.open(slot: 0, session, source, admission))
      if knowsClock { receiver.execute(.clock(slot: 0, session, offset: offset)) }
    }

    private mutating func add(_ output: Receiver.Output, at now: Instant) {
      switch output {
      case .sound(let message, _), .hear(let message, _):
        sounds.append(Sound(message: message, at: now, instant: receiver.instant))
      case .reception(.message(_, let message, _, _, _, isAdmitted: true)): reports.append((message, now))
      default: break
      }
    }

    /// Receives a message at `now` that takes effect at `instant`, by the local clock.
    mutating func receive(_ message: Message, for instant: Instant, at now: Instant) {
      let packet = octets { _ = sender.encode(message, at: instant + offset, into: &$0) }
      _ = receiver.receive(packet.span, from: address, at: now)
      while let output = receiver.next(in: packet.span) { add(output, at: now) }
    }

    /// Returns a packet with a journal, as a Tutti peer sends it at `now`. Its message takes effect at `instant`.
    mutating func packet(_ message: Message, for instant: Instant, at now: Instant) -> [UInt8] {
      announced.prepare(forPacketAt: now + offset, stamped: instant + offset)
      (sender.sendsJournal, sender.headerExtension) = (true, .sendInstant(announcing: announced.count))
      let packet = octets {
        _ = sender.encode(message, at: instant + offset, into: &$0)
        announced.write(into: &$0)
      }
      if instant > now { announced.add(UInt16(packet[2]) << 8 | UInt16(packet[3]), at: instant + offset) }
      return packet
    }

    mutating func receive(_ packet: [UInt8], at now: Instant) {
      _ = receiver.receive(packet.span, from: address, at: now)
      while let output = receiver.next(in: packet.span) { add(output, at: now) }
    }

    mutating func execute(_ command: ReceivingCommand, at now: Instant) {
      receiver.execute(command)
      while let output = receiver.next() { add(output, at: now) }
    }

    /// Lets the time pass until `end`.
    mutating func run(until end: Instant) {
      while receiver.nextTimedDeadline <= end {
        let now = receiver.nextTimedDeadline
        while let output = receiver.nextTimed(at: now) { add(output, at: now) }
      }
    }
  }

  /// A note is passed to the sound with its instant, 50 ms in advance. The control thread gets it at its instant. The time stamp has a
  /// resolution of 100 us.
  @Test func noteSoundsAtTheInstantOfItsTimeStamp() throws {
    var peer = Peer()
    let due = Self.now + .milliseconds(200)
    peer.receive(on(), for: due, at: Self.now)
    #expect(peer.sounds.isEmpty && peer.reports.isEmpty)
    peer.run(until: Self.now + .seconds(1))
    let sound = try #require(peer.sounds.first)
    let instant = try #require(sound.instant)
    #expect(peer.sounds.count == 1 && sound.message == on())
    #expect(abs((instant - due).count) <= 50_000 && sound.at == instant - .milliseconds(50))
    #expect(peer.reports.map(\.message) == [on()] && peer.reports.first?.at == instant)
  }

  /// A note sounds at once if the remote clock is not known, or if its instant has passed, is less than 2 ms ahead, or
  /// is more than 4 s ahead. 2 ms are more than the error of time stamps and clocks, and 4 s are more than a quarter note at the
  /// slowest tempo.
  @Test func otherNotesSoundAtOnce() {
    for (delay, knowsClock) in [(200, false), (0, true), (-500, true), (1, true), (4_500, true), (3_600_000, true)] {
      var peer = Peer(knowsClock: knowsClock)
      peer.receive(on(), for: Self.now + .milliseconds(Int64(delay)), at: Self.now)
      #expect(peer.sounds == [Sound(message: on(), at: Self.now, instant: nil)], "\(delay) ms")
    }
  }

  /// The clock of the remote peer may have any offset, so its 32-bit time stamps may wrap at any instant. The fourth offset is half a unit
  /// (50 us) less than the period of 2^32 units of 100 us.
  @Test(arguments: [.min / 4, -1, 0, 429_496_729_550_000, .max / 4] as [Int64])
  func timeStampsWrapAround(offset: Int64) throws {
    var peer = Peer(offset: Nanoseconds(offset))
    let due = Self.now + .milliseconds(200)
    peer.receive(on(), for: due, at: Self.now)
    peer.run(until: Self.now + .seconds(1))
    #expect(abs((try #require(peer.sounds.first?.instant) - due).count) <= 50_000)
  }

  /// The end of a note may arrive before its beginning sounds. An end that is later than the next beginning of the same
  /// key moves to that beginning.
  @Test func endsKeepTheirInstants() throws {
    var peer = Peer()
    let beginnings = [Self.now + .milliseconds(200), Self.now + .milliseconds(300)]
    peer.receive(on(), for: beginnings[0], at: Self.now)
    peer.receive(off(), for: Self.now + .milliseconds(350), at: Self.now + .milliseconds(1))
    peer.receive(on(), for: beginnings[1], at: Self.now + .milliseconds(2))
    peer.receive(off(), for: Self.now + .milliseconds(400), at: Self.now + .milliseconds(3))
    peer.run(until: Self.now + .seconds(1))
    #expect(peer.sounds.map(\.message) == [on(), off(), on(), off()])
    let instants = try peer.sounds.map { try #require($0.instant) }
    #expect(instants[1] == instants[2] && abs((instants[2] - beginnings[1]).count) <= 50_000)
    #expect(abs((instants[3] - (Self.now + .milliseconds(400))).count) <= 50_000)
  }

  /// All Notes Off that takes effect at once also removes the waiting notes of its channel. A Note Off also removes the waiting notes of
  /// its key.
  @Test func messagesWithoutDelayRemoveNotesThatHaveNotBegun() {
    let allNotesOff = Message.controlChange(channel, controller: 123, value: 0)
    for (ending, remaining) in [
      (allNotesOff, []), (off(60), [on(61)]),
      (.controlChange(Channel(4)!, controller: 123, value: 0), [on(60), on(61)]),
    ] {
      var peer = Peer()
      for key in [60, 61] as [UInt7] { peer.receive(on(key), for: Self.now + .milliseconds(200), at: Self.now) }
      peer.receive(ending, for: Self.now, at: Self.now + .milliseconds(10))
      peer.run(until: Self.now + .seconds(1))
      #expect(peer.sounds.map(\.message).filter(\.startsNote) == remaining, "\(ending)")
    }
  }

  /// A note was passed to the sound in advance. If its end comes at once, or if its session ends, the end takes effect when the note
  /// has begun, so that the note does not hang.
  @Test func endsFollowNotesThatWerePassedInAdvance() throws {
    for closes in [false, true] {
      var peer = Peer()
      peer.receive(on(), for: Self.now + .milliseconds(100), at: Self.now)
      // The note was passed at 50 ms and begins at 100 ms.
      let later = Self.now + .milliseconds(60)
      peer.run(until: later)
      let begin = try #require(peer.sounds.first?.instant)
      if closes {
        peer.execute(.close(slot: 0, Self.session), at: later)
      } else {
        peer.receive(off(), for: later, at: later)
      }
      #expect(peer.sounds.count == 2 && peer.sounds.last?.message == off() && peer.sounds.last?.instant == begin)
    }
  }

  /// A controller overtakes a note, or the note is lost. The packet of the controller repairs the note by its journal and announces the
  /// time stamp of the note. The note therefore keeps its instant. It sounds once.
  @Test(arguments: [true, false]) func overtakenNoteKeepsItsInstant(arrivesLater: Bool) throws {
    var peer = Peer()
    let due = Self.now + .milliseconds(200)
    let control = Message.controlChange(channel, controller: 1, value: 5)
    let first = peer.packet(control, for: Self.now, at: Self.now)
    let note = peer.packet(on(), for: due, at: Self.now)
    let others = (0..<3).map { _ in peer.packet(control, for: Self.now, at: Self.now) }
    peer.receive(first, at: Self.now)
    // Of the packets after the note, the first one is lost too.
    peer.receive(others[1], at: Self.now + .milliseconds(5))
    if arrivesLater { peer.receive(note, at: Self.now + .milliseconds(6)) }
    peer.receive(others[2], at: Self.now + .milliseconds(7))
    #expect(!peer.sounds.contains { $0.message == on() })
    peer.run(until: Self.now + .seconds(1))
    let notes = peer.sounds.filter { $0.message == on() }
    #expect(notes.count == 1)
    #expect(abs((try #require(notes.first?.instant) - due).count) <= 50_000)
  }

  /// All Notes Off is lost, and the journal of the next packet repairs it. It ends a note that has not begun.
  @Test func recoveredEndRemovesTheBeginning() {
    var peer = Peer()
    let first = peer.packet(on(), for: Self.now + .milliseconds(200), at: Self.now)
    _ = peer.packet(.controlChange(channel, controller: 123, value: 0), for: Self.now, at: Self.now)
    let next = peer.packet(.controlChange(channel, controller: 1, value: 5), for: Self.now, at: Self.now)
    peer.receive(first, at: Self.now)
    peer.receive(next, at: Self.now + .milliseconds(10))
    peer.run(until: Self.now + .seconds(1))
    #expect(!peer.sounds.contains { $0.message == on() })
  }

  @Test(arguments: [true, false]) func noWaitingNoteSoundsAfterTheSessionEndsOrAllNotesAreReleased(closes: Bool) {
    var peer = Peer()
    peer.receive(on(), for: Self.now + .milliseconds(200), at: Self.now)
    peer.execute(closes ? .close(slot: 0, Self.session) : .releaseNotes, at: Self.now)
    peer.run(until: Self.now + .seconds(1))
    #expect(peer.sounds.isEmpty && peer.reports.isEmpty)
  }

  /// A waiting note obeys the gate and the hearing (the share of the velocity that sounds) that apply when it is passed to the sound,
  /// not those that applied when it arrived.
  @Test func gateAndHearingApplyWhenANoteIsPassedToTheSound() {
    for (isOpen, velocity) in [(false, nil), (true, UInt7(30))] as [(Bool, UInt7?)] {
      var peer = Peer()
      peer.receive(on(), for: Self.now + .milliseconds(200), at: Self.now)
      var admission = Admission()
      (admission.notes, admission.hearing) = (isOpen, Hearing(percent: 30))
      peer.execute(.admit(slot: 0, Self.session, admission), at: Self.now)
      peer.run(until: Self.now + .seconds(1))
      #expect(peer.sounds.map(\.message) == velocity.map { [.noteOn(channel, key: 60, velocity: $0)] } ?? [])
      #expect(peer.reports.count == (isOpen ? 1 : 0))
    }
  }

  /// At most 64 messages of a peer wait. Further messages take effect at once. A Note Off that takes effect at once
  /// removes the waiting beginning of its note.
  @Test func numberOfMessagesIsBounded() {
    var peer = Peer()
    let due = Self.now + .milliseconds(200)
    for number in 0..<100 { peer.receive(on(UInt7(masking: UInt8(number))), for: due, at: Self.now) }
    #expect(peer.sounds.count == 100 - 64)
    peer.receive(off(10), for: due, at: Self.now)
    peer.run(until: Self.now + .seconds(1))
    #expect(peer.sounds.filter(\.message.startsNote).count == 99)
    #expect(!peer.sounds.contains { $0.message == on(10) })
  }

  /// A rhythm of 120 BPM whose first tick is at ``now``. A tick takes 20.8 ms.
  private func rhythm(run: UInt32 = 1, end: Int64 = .max, tempo: Int64 = 500_000_000) -> PlaybackSchedule {
    PlaybackSchedule(
      run: run, sends: false, start: Tick(0), end: Tick(end),
      tempo: TempoMap(Timeline(tempo: Tempo(nanosecondsPerQuarter: tempo)!, tick: Tick(0), at: Self.now)))
  }

  /// A note near a tick takes effect exactly at the tick, also after a change of the tempo: at 60 BPM, a tick takes 41.7 ms.
  @Test func noteFollowsItsTick() throws {
    for changes in [false, true] {
      var peer = Peer()
      peer.receiver.follow(rhythm())
      let due = rhythm().deadline(Tick(12)) + .microseconds(400)
      peer.receive(on(), for: due, at: Self.now)
      peer.receive(off(), for: due + .milliseconds(7), at: Self.now)
      if changes { peer.receiver.follow(rhythm(tempo: 1_000_000_000)) }
      peer.run(until: Self.now + .seconds(2))
      let tick = (changes ? rhythm(tempo: 1_000_000_000) : rhythm()).deadline(Tick(12))
      let beginning = try #require(peer.sounds.first { $0.message == on() })
      #expect(beginning.instant == tick && beginning.at == tick - .milliseconds(50))
    }
  }

  /// Tick 12 is the last tick of a rhythm with the end 13. A note at or after the end of the rhythm does not begin, and neither does a
  /// note of an earlier run.
  @Test func noNoteBeginsAfterTheRhythm() {
    for (next, sounds) in [
      (rhythm(end: 13), true), (rhythm(end: 12), false), (rhythm(run: 2), false), (.silence, false),
    ] {
      var peer = Peer()
      peer.receiver.follow(rhythm())
      peer.receive(on(), for: rhythm().deadline(Tick(12)), at: Self.now)
      peer.receiver.follow(next)
      peer.run(until: Self.now + .seconds(2))
      #expect(peer.sounds.contains { $0.message == on() } == sounds)
    }
  }

  /// A note that sounds at once also ends the earlier note of its key. The waiting end of the earlier note does not end
  /// the new note.
  @Test func noteAtOnceRemovesTheEndOfTheEarlierOne() {
    var peer = Peer()
    peer.receive(on(), for: Self.now, at: Self.now)
    peer.receive(off(), for: Self.now + .milliseconds(100), at: Self.now)
    peer.receive(on(), for: Self.now + .milliseconds(20), at: Self.now + .milliseconds(25))
    peer.run(until: Self.now + .seconds(1))
    #expect(peer.sounds.map(\.message) == [on(), on()])
  }
}
