import BasicContainers
import MIDI
import MusicalTime
import Seeds
import Testing

@testable import RTPMIDI

/// Random performances. After each message the journal is compared with what a list of all that was sent says by the
/// definitions of RFC 6295, appendix A.1, with no thought of speed.
@Suite struct JournalModelTests {
  @Test(arguments: 0..<20 as Range<UInt64>) func theJournalTellsTheCheckpointHistory(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let start = UInt16(truncatingIfNeeded: random.next())
    let bench = JournalBench(sequence: start, capacity: 1000)
    bench.sender.usesEnhancedControllers = seed % 4 == 3
    var sent: [Message] = []
    var checkpoint = 0
    for _ in 0..<200 {
      let message = Self.message(&random)
      bench.send(message)
      let journal = try SentJournal(bench.packet)
      #expect(journal.header.checkpoint == start &+ UInt16(checkpoint))
      for channel in 1...3 {
        compare(journal[channel], Channel(channel)!, sent, checkpoint, isEnhanced: seed % 4 == 3)
      }
      sent.append(message)
      if random.integer(in: 0...30) == 0 {
        let acknowledged = Int(random.integer(in: Int64(checkpoint)...Int64(sent.count - 1)))
        bench.sender.acknowledge(start &+ UInt16(acknowledged))
        checkpoint = acknowledged + 1
      }
    }
    #expect(bench.forgotten == 0)
  }

  /// A message on one of three channels, of few notes and controllers, so that they meet often.
  private static func message(_ random: inout SplitMix) -> Message {
    func draw(_ count: Int64) -> UInt7 { UInt7(clamping: Int(random.integer(in: 0...count - 1))) }
    let channel = Channel(Int(random.integer(in: 1...3)))!
    switch draw(20).value {
    case 0...5: return .noteOn(channel, key: draw(12), velocity: draw(8))
    case 6...8: return .noteOff(channel, key: draw(12), velocity: draw(2).value == 0 ? 64 : draw(128))
    case 9: return .polyphonicPressure(channel, key: draw(4), pressure: draw(128))
    case 10: return .programChange(channel, program: draw(128))
    case 11: return .channelPressure(channel, pressure: draw(128))
    case 12: return .pitchBend(channel, UInt14(low: draw(128), high: draw(128)))
    case 13: return draw(20).value == 0 ? .reset : .clock
    default:
      let numbers: [UInt7] = [0, 1, 7, 11, 32, 64, 66, 69, 120, 121, 122, 123, 127]
      let number = numbers[Int(draw(Int64(draw(4).value == 0 ? numbers.count : 8)).value)]
      return .controlChange(channel, controller: number, value: draw(128))
    }
  }

  private struct Command {
    var place: Int
    var controller: UInt8
    var value: UInt7
  }

  private func compare(
    _ journal: SentJournal.Channel?, _ channel: Channel, _ sent: [Message], _ checkpoint: Int, isEnhanced: Bool
  ) {
    let since = (sent.lastIndex(of: .reset) ?? -1) + 1
    let first = max(since, checkpoint)
    var controls: [Command] = []
    for (place, message) in sent.enumerated() {
      guard case .controlChange(channel, let controller, let value) = message else { continue }
      controls.append(Command(place: place, controller: controller.value, value: value))
    }
    let active = controls.filter { $0.place >= first }
    let standingControls = controls.filter { $0.place >= since }
    let reset: Int = standingControls.last(where: { $0.controller == 121 })?.place ?? -1
    let notesEnd: Int = standingControls.last(where: { $0.controller == 120 || $0.controller >= 123 })?.place ?? -1

    // P, and what it takes.
    let programs = sent.indices.filter { if case .programChange(channel, _) = sent[$0] { $0 >= since } else { false } }
    if let place = programs.last, place >= checkpoint, case .programChange(_, let program) = sent[place] {
      let before = controls.filter { $0.place >= since && $0.place < place }
      let bank = [0, 32].map { number in before.last(where: { $0.controller == number }) }
      #expect(journal?.p?.program == program && journal?.p?.s == (place != sent.count - 1))
      #expect(journal?.p?.bank?.high == (bank[0]?.value ?? (bank[1] == nil ? nil : 0)))
      #expect(journal?.p?.bank?.low == (bank[1]?.value ?? (bank[0] == nil ? nil : 0)))
    } else {
      #expect(journal?.p == nil)
    }

    // C: the newest of each controller, or the newest four.
    let standing = active.filter { command in
      switch command.controller {
      case 0, 32: command.place > (programs.last ?? -1)
      case 1, 11, 64, 66: command.place > reset
      default: true
      }
    }
    var expected: [ControllerLog] = []
    for command in standing {
      let newer = standing.filter { $0.controller == command.controller && $0.place > command.place }.count
      guard newer < (isEnhanced ? 4 : 1) else { continue }
      let count = controls.filter { $0.controller == command.controller && $0.place <= command.place }.count
      let isAct = command.controller >= 120 && command.controller != 122
      var tools: [ControllerLog.Tool] = []
      if isEnhanced || isAct { tools.append(.count(UInt8(count & 63))) }
      if isEnhanced || !isAct { tools.append(.value(command.value)) }
      if isEnhanced, (64...69).contains(command.controller) {
        tools.append(.toggle(toggles(command, sent, channel)))
      }
      expected += tools.map {
        ControllerLog(s: command.place != sent.count - 1, controller: UInt7(masking: command.controller), tool: $0)
      }
    }
    #expect(journal?.c ?? [] == expected)

    // N and E.
    var notes: [NoteLog] = []
    var off: Set<UInt8> = []
    var extras: [NoteExtraLog] = []
    for place in sent.indices.dropFirst(max(first, notesEnd + 1)) {
      guard let note = note(sent[place], channel) else { continue }
      guard !sent[(place + 1)...].contains(where: { self.note($0, channel)?.key == note.key }) else { continue }
      var references = 0
      for earlier in sent[max(since, notesEnd + 1)...place] {
        guard let other = self.note(earlier, channel), other.key == note.key else { continue }
        references = other.isOn ? min(references + 1, 127) : max(references - 1, 0)
      }
      let s = place != sent.count - 1
      if note.isOn {
        notes.append(NoteLog(s: s, key: note.key, isPlayRecommended: true, velocity: note.velocity))
      } else {
        off.insert(note.key.value)
      }
      if references > (note.isOn ? 1 : 0) {
        extras.append(NoteExtraLog(s: s, key: note.key, extra: .references(UInt7(clamping: references))))
      }
      if !note.isOn, note.velocity != 64 {
        extras.append(NoteExtraLog(s: s, key: note.key, extra: .releaseVelocity(note.velocity)))
      }
    }
    #expect(journal?.notes ?? [] == notes && journal?.off ?? [] == off && journal?.extras ?? [] == extras)

    // W, T and A.
    let atRest = max(first, reset + 1)
    let rest = sent.dropFirst(atRest)
    let bends = rest.compactMap { if case .pitchBend(channel, let bend) = $0 { bend } else { nil } }
    #expect(journal?.w?.bend == bends.last)
    let pressures = rest.compactMap { if case .channelPressure(channel, let value) = $0 { value } else { nil } }
    #expect(journal?.t?.pressure == pressures.last)
    var keys: [UInt7] = []
    var values: [UInt7: UInt7] = [:]
    for case .polyphonicPressure(channel, let key, let value) in rest {
      keys.removeAll { $0 == key }
      keys.append(key)
      values[key] = value
    }
    #expect((journal?.pressures ?? []).map(\.key) == keys)
    #expect((journal?.pressures ?? []).map(\.pressure) == keys.map { values[$0]! })
  }

  private func note(_ message: Message, _ channel: Channel) -> (key: UInt7, velocity: UInt7, isOn: Bool)? {
    switch message {
    case .noteOn(channel, let key, let velocity): velocity == 0 ? (key, 64, false) : (key, velocity, true)
    case .noteOff(channel, let key, let velocity): (key, velocity, false)
    default: nil
    }
  }

  /// How often the pedal has changed by then, modulo 64.
  private func toggles(_ command: Command, _ sent: [Message], _ channel: Channel) -> UInt8 {
    var count: UInt8 = 0
    var isOn = false
    func set(_ value: Bool) {
      if value != isOn { count = (count + 1) & 63 }
      isOn = value
    }
    for message in sent[...command.place] {
      switch message {
      case .reset: set(false)
      case .controlChange(channel, 121, _) where command.controller < 68: set(false)
      case .controlChange(channel, let controller, let value) where controller.value == command.controller:
        set(value.value >= 64)
      default: break
      }
    }
    return count
  }
}
