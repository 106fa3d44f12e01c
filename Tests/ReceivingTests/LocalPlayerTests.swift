import CAllocationCount
import MIDI
import MusicalTime
import Receiving
import Sending
import Testing
import _TestSupport

/// The messages of the local player: routes, budgets and the ends of notes. The route of an input channel (``PlayerRoute``) determines
/// which peers get its messages, and on which channel. The standard route leads to all peers. On this route, Tutti peers get messages on
/// channel 16, and drums on channel 10. Standard devices get each message on its input channel. A budget (``MessageBudget``) limits the
/// number of messages.
@Suite struct LocalPlayerTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let channel = Channel(3)!
  private let keyboard = ProgramID(client: 128, port: 0)
  /// Two streams to other peers.
  private let streams: [StreamID]

  init() {
    var allocator = StreamIDAllocator()
    streams = [allocator.allocate(), allocator.allocate()]
  }

  private func note(_ key: UInt7, on channel: Channel? = nil) -> Message {
    .noteOn(channel ?? self.channel, key: key, velocity: 100)
  }

  /// The Note Off of ``note(_:on:)``.
  private func end(_ key: UInt7, on channel: Channel? = nil) -> Message {
    .noteOff(channel ?? self.channel, key: key, velocity: 64)
  }

  private func control(_ controller: UInt7, _ value: UInt7 = 0) -> Message {
    .controlChange(channel, controller: controller, value: value)
  }

  /// Executes a command and returns its outputs.
  private func execute(_ command: ReceivingCommand, _ receiver: inout Receiver) -> [Receiver.Output] {
    receiver.execute(command)
    return outputs(&receiver)
  }

  private func outputs(_ receiver: inout Receiver) -> [Receiver.Output] {
    var outputs: [Receiver.Output] = []
    while let output = receiver.next() { outputs.append(output) }
    return outputs
  }

  /// Plays messages of a program and returns the outputs.
  private func play(
    _ messages: [Message], from program: ProgramID? = nil, _ receiver: inout Receiver
  ) -> [Receiver.Output] {
    messages.flatMap { message in
      receiver.play(message, from: program ?? keyboard, at: now)
      return outputs(&receiver)
    }
  }

  /// The messages of the local player that sound.
  private func sounds(_ outputs: [Receiver.Output]) -> [Message] {
    outputs.compactMap { if case .sound(let message, nil) = $0 { message } else { nil } }
  }

  /// The messages that are sent to `receiver`.
  private func sent(_ outputs: [Receiver.Output], to receiver: StreamMessage.Receiver) -> [Message] {
    outputs.compactMap { if case .send(let sent) = $0, sent.receiver == receiver { sent.message } else { nil } }
  }

  /// The sound comes first, then the messages to other peers, then the copy for the control thread.
  @Test func noteSoundsAndGoesToAllPeers() {
    var receiver = Receiver(identity: 1)
    let outputs = play([note(60)], &receiver)
    let routed = note(60, on: Channel(16)!)
    guard outputs.count == 4, case .sound(routed, nil) = outputs[0], case .send(let tutti) = outputs[1],
      case .send(let standard) = outputs[2],
      case .reception(.played(note(60), soundedOn: Channel(16)!, from: .player)) = outputs[3]
    else {
      Issue.record("\(outputs)")
      return
    }
    #expect(tutti.message == routed && tutti.receiver == .tuttiPeers && tutti.instant == nil)
    #expect(standard.message == note(60) && standard.receiver == .standardDevices)
    // The drums keep their channel.
    #expect(sounds(play([note(36, on: Channel(10))], &receiver)) == [note(36, on: Channel(10))])
  }

  @Test func noteToOnePeerDoesNotSoundHere() {
    var receiver = Receiver(identity: 1)
    _ = execute(.route(channel, PlayerRoute(.stream(streams[0]), on: Channel(5)!)), &receiver)
    let outputs = play([note(60)], &receiver)
    #expect(outputs.count == 2 && sent(outputs, to: .stream(streams[0])) == [note(60, on: Channel(5))])
    guard case .reception(.played(note(60), soundedOn: nil, from: .player))? = outputs.last else {
      Issue.record("\(outputs)")
      return
    }
  }

  /// The receiver of the route is not in session. Nothing is sent, and only the control thread gets the note.
  @Test func noteToAnAbsentPeerIsDropped() {
    var receiver = Receiver(identity: 1)
    _ = execute(.route(channel, PlayerRoute(.none, on: channel)), &receiver)
    let outputs = play([note(60)], &receiver)
    guard outputs.count == 1, case .reception(.played(note(60), soundedOn: nil, from: .player)) = outputs[0]
    else {
      Issue.record("\(outputs)")
      return
    }
  }

  /// The route changes while keys are down. The Note Off of a key follows its Note On.
  @Test func endOfANoteFollowsItsBeginning() {
    var receiver = Receiver(identity: 1)
    let streams = streams.map { StreamMessage.Receiver.stream($0) }
    _ = execute(.route(channel, PlayerRoute(.stream(self.streams[0]), on: channel)), &receiver)
    _ = play([note(60), note(62)], &receiver)
    _ = execute(.route(channel, PlayerRoute(.stream(self.streams[1]), on: channel)), &receiver)
    let ended = play([end(60)], &receiver)
    #expect(sent(ended, to: streams[0]) == [end(60)] && sent(ended, to: streams[1]).isEmpty)
    // Key 62 is played again. Its note at the first receiver ends, because the next Note Off goes to the second receiver.
    let replaced = play([note(62)], &receiver)
    #expect(sent(replaced, to: streams[0]) == [end(62)] && sent(replaced, to: streams[1]) == [note(62)])
    #expect(sent(play([end(62)], &receiver), to: streams[1]) == [end(62)])
    #expect(execute(.releaseNotes, &receiver).isEmpty)
  }

  /// Expression on channel 1 is the player's activity. Only the control thread gets it.
  @Test func activityIsNotSent() {
    var receiver = Receiver(identity: 1)
    let activity = Message.controlChange(Channel(wire: 0), controller: 11, value: 90)
    let outputs = play([activity], &receiver)
    guard outputs.count == 1, case .reception(.played(activity, soundedOn: nil, from: .player)) = outputs[0]
    else {
      Issue.record("\(outputs)")
      return
    }
  }

  /// Floods of Note Offs and of banks exhaust the limits, which admit bursts of 512 messages of each class. The end of a held note and the
  /// lifting of a pedal are still played.
  @Test func endsOfNotesNeedNoBudget() {
    var receiver = Receiver(identity: 1)
    let held = [note(60), control(64, 127)]
    let flood = (0..<1000).flatMap { [end(61), control(0, UInt7(masking: UInt8($0 % 128)))] }
    let count = sounds(play(held + flood, &receiver)).count
    #expect(count == 2 * 512 && receiver.refused == 2002 - 2 * 512)
    let ends = [control(64, 0), end(60)]
    #expect(sounds(play(ends, &receiver)) == ends.map { $0.on(Channel(16)) })
    #expect(sounds(play(ends, &receiver)).isEmpty, "each note ends once")
  }

  /// When programs disconnect, the notes and pedals that they hold end. The notes of other programs sound on. The three selections are
  /// one program, the two programs of a client, and all three programs.
  @Test(arguments: [0, 1, 2]) func notesOfADisconnectedProgramEnd(selection: Int) {
    var receiver = Receiver(identity: 1)
    let programs = [keyboard, ProgramID(client: 128, port: 1), ProgramID(client: 129, port: 0)]
    for (number, program) in programs.enumerated() {
      let key = UInt7(masking: UInt8(60 + number))
      _ = play(
        [note(key), .controlChange(Channel(wire: UInt8(number)), controller: 64, value: 127)], from: program, &receiver)
    }
    let selections: [ProgramID.Selection] = [.program(keyboard), .client(128), .all]
    receiver.releaseNotes(of: selections[selection])
    let outputs = outputs(&receiver)
    let keys = sounds(outputs).compactMap { $0.silencesNote ? $0.key?.value : nil }
    #expect(keys == Array([60, 61, 62].prefix(selection + 1)))
    #expect(sent(outputs, to: .standardDevices).count == 2 * (selection + 1), "note and pedal")
    receiver.releaseNotes(of: selections[selection])
    #expect(self.outputs(&receiver).isEmpty)
  }

  /// A peer counted as a standard device and got the notes on their input channels. When the peer is recognised as a
  /// Tutti peer, these notes end at this peer.
  @Test func notesAsPlayedEndAtOnePeer() {
    var receiver = Receiver(identity: 1)
    _ = play([note(60), note(62), end(62), control(64, 127)], &receiver)
    let outputs = execute(.endNotesAsPlayed(streams[1]), &receiver)
    #expect(outputs.count == 2 && sent(outputs, to: .stream(streams[1])) == [end(60), control(64, 0)])
    // At the local peer, the note that is held still sounds, and ends by its Note Off.
    #expect(sounds(play([end(60)], &receiver)) == [end(60, on: Channel(16))])
  }

  /// The player holds all keys of all channels. All notes sound, and all end when the player leaves. The command `play` needs no budget:
  /// the budget limits only the messages of programs.
  @Test func allKeysOfAllChannelsAreHeld() {
    var receiver = Receiver(identity: 1)
    let messages = (0..<16).flatMap { channel in
      (0..<128).map { note(UInt7(masking: $0), on: Channel(wire: channel)) }
    }
    let begun = messages.map { sounds(execute(.play($0), &receiver)).count }.reduce(0, +)
    #expect(begun == 2048 && receiver.refused == 0)
    #expect(sounds(execute(.releaseNotes, &receiver)).count == 2048)
  }

  /// Three programs play on three channels while routes change and programs disconnect. Then the player leaves. Each
  /// note has ended at each receiver that it was sent to.
  @Test(arguments: UInt64(1)...20) func noNoteHangs(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var receiver = Receiver(identity: 1)
    var held: [StreamMessage.Receiver: HeldNotes] = [:]
    var sounding = HeldNotes()
    func record(_ outputs: [Receiver.Output]) {
      for output in outputs {
        switch output {
        case .send(let sent): held[sent.receiver, default: HeldNotes()].record(sent.message)
        case .sound(let message, _): sounding.record(message)
        case .hear, .record, .pitch, .localPitch, .shape, .reception: break
        }
      }
    }
    let receivers: [PlayerRoute.Receiver] = [.all, .none, .stream(streams[0]), .stream(streams[1])]
    for _ in 0..<2000 {
      let channel = Channel(wire: UInt8(random.integer(in: 2...4)))
      let key = UInt7(masking: UInt8(random.integer(in: 60...63)))
      let program = ProgramID(client: 128, port: UInt8(random.integer(in: 0...2)))
      switch random.integer(in: 0...99) {
      case 0..<45: record(play([note(key, on: channel)], from: program, &receiver))
      case 45..<85: record(play([end(key, on: channel)], from: program, &receiver))
      case 85..<90: record(play([.controlChange(channel, controller: 123, value: 0)], from: program, &receiver))
      case 90..<97:
        let destination = receivers[Int(random.integer(in: 0...3))]
        let route = PlayerRoute(destination, on: Channel(wire: UInt8(random.integer(in: 8...10))))
        record(execute(.route(channel, route), &receiver))
      default:
        receiver.releaseNotes(of: .program(program))
        record(outputs(&receiver))
      }
    }
    // The two streams, all Tutti peers, and all standard devices.
    #expect(held.count == 4)
    record(execute(.releaseNotes, &receiver))
    #expect(held.values.allSatisfy(\.isEmpty) && sounding.isEmpty)
  }

  @Test func tenThousandMessagesAllocateNothing() {
    var receiver = Receiver(identity: 1)
    let messages: [Message] = [note(60), control(1, 5), end(60), note(62), control(123)]
    _ = play(messages, &receiver)
    var count = 0
    allocation_count_begin()
    for number in 0..<2000 {
      for index in 0..<messages.count {
        let instant = now + .milliseconds(Int64(number * 10))
        receiver.play(messages[index], from: keyboard, at: instant)
        while let output = receiver.next() { if case .sound = output { count += 1 } }
      }
      receiver.execute(.route(channel, PlayerRoute(number % 2 == 0 ? .stream(streams[0]) : .all, on: channel)))
      receiver.releaseNotes(of: .all)
      while receiver.next() != nil {}
    }
    let allocations = allocation_count_end()
    // In 1000 of the 2000 rounds, up to five messages sound at the local peer. In the other rounds, their route leads to one stream.
    #expect(allocations == 0 && count > 4000, "\(allocations) \(count)")
  }

  @Test func mutedPlayerIsSilentAndItsNotesEnd() {
    var receiver = Receiver(identity: 1)
    let sounding = Channel(16)!
    _ = play([note(60), note(64)], &receiver)
    let ends = sounds(execute(.mute(true), &receiver))
    #expect(Set(ends) == [end(60, on: sounding), end(64, on: sounding)])
    // New notes are refused. Controllers are not, so that the sound is right when the player can be heard again.
    #expect(play([note(67)], &receiver).isEmpty)
    #expect(sounds(play([control(1, 99)], &receiver)) == [control(1, 99).on(sounding)])
    // The note has already ended, so the Note Off of its key has no effect. The same is true of a note that was refused.
    #expect(play([end(60), end(67)], &receiver).isEmpty)
    #expect(execute(.mute(false), &receiver).isEmpty)
    #expect(sounds(play([note(67)], &receiver)) == [note(67, on: sounding)])
  }

  /// Keys are pressed before, while and after the player is muted, by a program and by the control thread. All of them are released at the
  /// end. Each Note Off that sounds follows a Note On.
  @Test func mutingLeavesNoEndWithoutABeginning() {
    var receiver = Receiver(identity: 1)
    var outputs = play([note(60)], &receiver) + execute(.play(note(61)), &receiver)
    outputs += execute(.mute(true), &receiver)
    outputs += play([note(62)], &receiver) + execute(.play(note(63)), &receiver) + play([end(62), note(62)], &receiver)
    outputs += execute(.mute(false), &receiver)
    outputs += play([note(64)], &receiver)
    outputs += play((60...64).map { end(UInt7(masking: $0)) }, &receiver)
    // The key 62 is pressed again, and its note is no longer silenced.
    outputs += play([note(62), end(62)], &receiver)
    let sounding = sounds(outputs).map { "\($0.silencesNote ? "end" : "begin") \($0.key?.value ?? 0)" }
    #expect(
      sounding == [
        "begin 60", "begin 61", "end 60", "end 61", "begin 64", "end 64", "begin 62", "end 62",
      ])
  }

  /// A muted page or device plays no Note On, but the Note Off of its key still arrives.
  @Test func endOfANoteThatAPageHasNotPlayedIsRefused() {
    var receiver = Receiver(identity: 1)
    #expect(execute(.playForPage(end(60)), &receiver).isEmpty)
    #expect(sounds(execute(.playForPage(note(60)), &receiver)).count == 1)
    #expect(sounds(execute(.playForPage(end(60)), &receiver)).count == 1)
  }
}
