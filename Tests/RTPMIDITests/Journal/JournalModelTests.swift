import BasicContainers
import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Random commands. After each command, the journal is compared with a simple model: a list of all sent commands, to
/// which the definitions of RFC 6295, appendix A.1, are applied literally.
@Suite struct JournalModelTests {
  @Test(arguments: 0..<20 as Range<UInt64>) func journalMatchesTheCheckpointHistory(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let start = UInt16(truncatingIfNeeded: random.next())
    let journalSender = JournalSender(sequence: start, capacity: 1000)
    journalSender.sender.usesEnhancedControllers = seed % 4 == 3
    // The commands of all packets so far, and the index of the first one that the journal covers. Each packet has one command.
    var sent: [Message] = []
    var checkpoint = 0
    for _ in 0..<200 {
      let message = Self.message(&random)
      journalSender.send(message)
      let journal = try SentJournal(journalSender.packet)
      #expect(journal.header.checkpoint == start &+ UInt16(checkpoint))
      for channel in 1...3 {
        compare(journal[channel], of: Channel(channel)!, sent: sent, checkpoint: checkpoint, isEnhanced: seed % 4 == 3)
      }
      // The journal of a packet covers the packets before it, so `message` is appended after the comparison.
      sent.append(message)
      if random.integer(in: 0...30) == 0 {
        let acknowledged = Int(random.integer(in: Int64(checkpoint)...Int64(sent.count - 1)))
        journalSender.sender.acknowledge(start &+ UInt16(acknowledged))
        checkpoint = acknowledged + 1
      }
    }
    #expect(journalSender.discarded == 0)
  }

  /// A message on one of three channels, with few notes and controllers, so that commands often affect each other.
  private static func message(_ random: inout SplitMix) -> Message {
    /// A random number below `count`.
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
      // One Control Change in four has any of these controllers. The others have one of the first eight controllers, which neither
      // end notes nor reset controllers.
      let numbers: [UInt7] = [0, 1, 7, 11, 32, 64, 66, 69, 120, 121, 122, 123, 127]
      let number = numbers[Int(draw(Int64(draw(4).value == 0 ? numbers.count : 8)).value)]
      return .controlChange(channel, controller: number, value: draw(128))
    }
  }

  /// A control change. `index` is its position among all sent commands.
  private struct Command {
    var index: Int
    var controller: UInt8
    var value: UInt7
  }

  /// Expects that the channel journal contains exactly what the commands `sent`, one per packet, imply. `checkpoint` is the index
  /// of the first command that the journal covers.
  private func compare(
    _ journal: SentJournal.Channel?, of channel: Channel, sent: [Message], checkpoint: Int, isEnhanced: Bool
  ) {
    // The commands before the newest System Reset are inactive. `afterSystemReset` is the index of the first command after it.
    let afterSystemReset = (sent.lastIndex(of: .reset) ?? -1) + 1
    let first = max(afterSystemReset, checkpoint)
    var controls: [Command] = []
    for (index, message) in sent.enumerated() {
      guard case .controlChange(channel, let controller, let value) = message else { continue }
      controls.append(Command(index: index, controller: controller.value, value: value))
    }
    let active = controls.filter { $0.index >= first }
    let controlsSinceSystemReset = controls.filter { $0.index >= afterSystemReset }
    // The indices of the newest Reset All Controllers (121) and of the newest command that ends all notes (120 and 123...127),
    // both after the newest System Reset; -1 for none.
    let controllerReset: Int = controlsSinceSystemReset.last(where: { $0.controller == 121 })?.index ?? -1
    let notesEnd: Int =
      controlsSinceSystemReset.last(where: { $0.controller == 120 || $0.controller >= 123 })?.index ?? -1

    // Chapter P, and the bank commands that it contains. If only one half of the bank was sent, the other half is 0. Here and
    // below, S is 0 only for the command of the previous packet, which is the last one in `sent`.
    let programs = sent.indices.filter {
      if case .programChange(channel, _) = sent[$0] { $0 >= afterSystemReset } else { false }
    }
    if let index = programs.last, index >= checkpoint, case .programChange(_, let program) = sent[index] {
      let before = controls.filter { $0.index >= afterSystemReset && $0.index < index }
      let bank = [0, 32].map { number in before.last(where: { $0.controller == number }) }
      #expect(journal?.p?.program == program && journal?.p?.s == (index != sent.count - 1))
      #expect(journal?.p?.bank?.high == (bank[0]?.value ?? (bank[1] == nil ? nil : 0)))
      #expect(journal?.p?.bank?.low == (bank[1]?.value ?? (bank[0] == nil ? nil : 0)))
    } else {
      #expect(journal?.p == nil)
    }

    // Chapter C: the newest command of each controller, or the newest four with the enhanced encoding. Bank Select before a
    // program change is in Chapter P. Reset All Controllers makes the older commands of some controllers inactive.
    let candidates = active.filter { command in
      switch command.controller {
      case 0, 32: command.index > (programs.last ?? -1)
      case 1, 11, 64, 66: command.index > controllerReset
      default: true
      }
    }
    var expected: [NumberedLog] = []
    for command in candidates {
      let newer = candidates.filter { $0.controller == command.controller && $0.index > command.index }.count
      guard newer < (isEnhanced ? 4 : 1) else { continue }
      let count = controls.filter { $0.controller == command.controller && $0.index <= command.index }.count
      // Controllers 120...127, except 122 (Local Control), are actions. In the default encoding, an action has a count in place
      // of a value. In the enhanced encoding, every command has both.
      let isAction = command.controller >= 120 && command.controller != 122
      var tools: [NumberedLog.Tool] = []
      if isEnhanced || isAction { tools.append(.count(UInt8(count & 63))) }
      if isEnhanced || !isAction { tools.append(.value(command.value)) }
      if isEnhanced, (64...69).contains(command.controller) {
        tools.append(.toggle(toggles(command, sent, channel)))
      }
      expected += tools.map {
        NumberedLog(s: command.index != sent.count - 1, controller: UInt7(masking: command.controller), tool: $0)
      }
    }
    #expect(journal?.controllers ?? [] == expected)

    // Chapters N and E.
    var notes: [NumberedLog] = []
    var off: Set<UInt8> = []
    var extras: [NumberedLog] = []
    for index in sent.indices.dropFirst(max(first, notesEnd + 1)) {
      guard let note = note(sent[index], channel) else { continue }
      // Only the newest command of a note has a log.
      guard !sent[(index + 1)...].contains(where: { self.note($0, channel)?.key == note.key }) else { continue }
      // The reference count: Note Ons without a Note Off.
      var references = 0
      for earlier in sent[max(afterSystemReset, notesEnd + 1)...index] {
        guard let other = self.note(earlier, channel), other.key == note.key else { continue }
        references = other.isOn ? min(references + 1, 127) : max(references - 1, 0)
      }
      let s = index != sent.count - 1
      if note.isOn {
        notes.append(NumberedLog(s: s, number: note.key, flag: true, value: note.velocity))
      } else {
        off.insert(note.key.value)
      }
      if references > (note.isOn ? 1 : 0) {
        extras.append(NumberedLog(s: s, number: note.key, flag: false, value: UInt7(clamping: references)))
      }
      if !note.isOn, note.velocity != 64 {
        extras.append(NumberedLog(s: s, number: note.key, flag: true, value: note.velocity))
      }
    }
    #expect(journal?.notes ?? [] == notes && journal?.off ?? [] == off && journal?.extras ?? [] == extras)

    // Chapters W, T and A: Reset All Controllers makes the older commands inactive.
    let firstAfterControllerReset = max(first, controllerReset + 1)
    let rest = sent.dropFirst(firstAfterControllerReset)
    let bends = rest.compactMap { if case .pitchBend(channel, let bend) = $0 { bend } else { nil } }
    #expect(journal?.w == bends.last)
    let pressures = rest.compactMap { if case .channelPressure(channel, let value) = $0 { value } else { nil } }
    #expect(journal?.t == pressures.last)
    var keys: [UInt7] = []
    var values: [UInt7: UInt7] = [:]
    for case .polyphonicPressure(channel, let key, let value) in rest {
      keys.removeAll { $0 == key }
      keys.append(key)
      values[key] = value
    }
    #expect((journal?.pressures ?? []).map(\.number) == keys)
    #expect((journal?.pressures ?? []).map(\.value) == keys.map { values[$0]! })
  }

  /// The note that `message` begins or ends on `channel`; nil for other messages. Note On with velocity 0 is a Note Off with
  /// velocity 64.
  private func note(_ message: Message, _ channel: Channel) -> (key: UInt7, velocity: UInt7, isOn: Bool)? {
    switch message {
    case .noteOn(channel, let key, let velocity): velocity == 0 ? (key, 64, false) : (key, velocity, true)
    case .noteOff(channel, let key, let velocity): (key, velocity, false)
    default: nil
    }
  }

  /// The number of changes of the pedal between off and on up to `command`, modulo 64. System Reset releases all pedals,
  /// Reset All Controllers (121) those below 68.
  private func toggles(_ command: Command, _ sent: [Message], _ channel: Channel) -> UInt8 {
    var count: UInt8 = 0
    var isOn = false
    func set(_ value: Bool) {
      if value != isOn { count = (count + 1) & 63 }
      isOn = value
    }
    for message in sent[...command.index] {
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
