import BasicContainers
import MIDI
import MusicalTime
import Testing

@testable import RTPMIDI

/// Tests of the channel chapters that result from sent commands.
@Suite struct SentChapterTests {
  private let one = Channel(1)!

  /// A control change on channel 1.
  private func control(_ controller: UInt7, _ value: UInt7) -> Message {
    .controlChange(one, controller: controller, value: value)
  }

  /// Controllers 0 and 32 are Bank Select MSB and LSB, and 121 is Reset All Controllers.
  @Test func programChangeContainsItsBank() throws {
    let journalSender = JournalSender()
    journalSender.send(.programChange(one, program: 9))
    #expect(try journalSender.journalOfGuardPacket()[1]!.p == ChapterP(s: false, program: 9, bank: nil))
    journalSender.send(control(0, 3), control(32, 4))
    let bank = try journalSender.journalOfGuardPacket()[1]!
    #expect(
      bank.controllers.map(\.number) == [0, 32] && bank.p?.bank == nil, "no program change has used the bank")
    journalSender.send(.programChange(one, program: 10))
    let used = try journalSender.journalOfGuardPacket()[1]!
    #expect(used.controllers.isEmpty && used.p?.bank == ChapterP.Bank(high: 3, low: 4, isBeforeReset: false))
    journalSender.send(control(121, 0), .programChange(one, program: 11), control(0, 5))
    let afterReset = try journalSender.journalOfGuardPacket()[1]!
    #expect(afterReset.p?.bank == ChapterP.Bank(high: 3, low: 4, isBeforeReset: true))
    #expect(afterReset.controllers.map(\.number) == [121, 0])
  }

  /// In the default encoding, Chapter C has a count log for the controllers 120...127, except Local Control (122), and a value log for
  /// all other controllers.
  @Test func controllersHaveValueOrCountLogs() throws {
    let journalSender = JournalSender()
    journalSender.send(
      control(64, 127), control(122, 0), control(123, 0), control(123, 0), control(120, 0), control(69, 1))
    let logs = try journalSender.journalOfGuardPacket()[1]!.controllers
    #expect(logs.map(\.number) == [64, 122, 123, 120, 69])
    #expect(logs.map(\.tool) == [.value(127), .value(0), .count(2), .count(1), .value(1)])
    for _ in 0..<62 { journalSender.send(control(123, 0)) }
    #expect(try journalSender.journalOfGuardPacket()[1]!.controllers.last?.tool == .count(0), "64 commands, modulo 64")
  }

  /// Reset All Controllers (121) makes the controllers `reset`, the pitch bend, the pressures and the selection of a parameter inactive.
  /// It does not affect the controllers `kept`, notes and programs.
  @Test func resetAllControllersRemovesEntries() throws {
    let journalSender = JournalSender()
    let kept: [UInt7] = [7, 10, 91, 68, 69]
    let reset: [UInt7] = [1, 11, 64, 65, 66, 67]
    journalSender.send(kept.map { control($0, 100) } + reset.map { control($0, 100) })
    journalSender.send(
      .pitchBend(one, 1), .channelPressure(one, pressure: 1), .polyphonicPressure(one, key: 1, pressure: 1),
      .noteOn(one, key: 60, velocity: 1), .programChange(one, program: 1), control(101, 0), control(121, 0))
    journalSender.send(.pitchBend(Channel(2)!, 1))
    let journal = try journalSender.journalOfGuardPacket()
    #expect(
      journal[1]!.controllers.map(\.number) == kept + [121] && journal[1]!.header.chapters == 0xC8, "P, C and N")
    #expect(journal[2]!.header.chapters == 0x10, "W")
    journalSender.send(control(1, 5))
    #expect(try journalSender.journalOfGuardPacket()[1]!.controllers.map(\.number) == kept + [121, 1])
  }

  /// The enhanced encoding keeps the newest four commands of a controller, each with a log for its count and one for its value.
  /// Commands of a switch, 64...69, also have a log with the number of changes.
  @Test func enhancedEncodingKeepsFourCommands() throws {
    let journalSender = JournalSender()
    journalSender.sender.usesEnhancedControllers = true
    journalSender.send(
      ([1, 2, 3, 4, 5, 6] as [UInt7]).map { control(7, $0) } + [control(64, 127), control(64, 0), control(64, 1)])
    let journal = try journalSender.journalOfGuardPacket()
    #expect(journal.header.isEnhanced && journal[1]!.header.isEnhanced)
    let volume = journal[1]!.controllers.filter { $0.number == 7 }.map(\.tool)
    #expect(volume == [.count(3), .value(3), .count(4), .value(4), .count(5), .value(5), .count(6), .value(6)])
    let pedal = journal[1]!.controllers.filter { $0.number == 64 }.map(\.tool)
    #expect(
      pedal == [
        .count(1), .value(127), .toggle(1), .count(2), .value(0), .toggle(2), .count(3), .value(1), .toggle(2),
      ])
    journalSender.send(.noteOn(Channel(2)!, key: 1, velocity: 1), control(64, 127), control(121, 0), control(64, 127))
    let reset = try journalSender.journalOfGuardPacket()
    #expect(!reset[2]!.header.isEnhanced, "no Chapter C")
    #expect(reset[1]!.controllers.last?.tool == .toggle(5), "five changes: on, off, on; off by the reset; on")
    #expect(
      reset[1]!.controllers.suffix(3).allSatisfy { !$0.s } && reset[1]!.controllers.dropLast(3).allSatisfy { $0.s })
    journalSender.sender.usesEnhancedControllers = false
    let plain = try journalSender.journalOfGuardPacket()
    #expect(!plain.header.isEnhanced && plain[1]!.controllers.map(\.tool) == [.value(6), .count(1), .value(127)])
  }

  @Test func enhancedLogsAreCutToTheListLimit() throws {
    let journalSender = JournalSender()
    journalSender.sender.usesEnhancedControllers = true
    // Twenty controllers, the newest four commands of each, two logs of each command: 160 logs. A list has at most 128 logs, so
    // at least 16 commands are discarded.
    for number: UInt7 in [70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89] {
      for value: UInt7 in [1, 2, 3, 4, 5] { journalSender.send(control(number, value)) }
    }
    let logs = try journalSender.journalOfGuardPacket()[1]!.controllers
    #expect(logs.count <= 128 && logs.last?.tool == .value(5) && journalSender.discarded >= 16)
  }

  /// Controllers 101 and 100 select a registered parameter, 99 and 98 a non-registered one (MSB and LSB). Controllers 6 and 38
  /// enter a value, 96 increments it, and 97 decrements it.
  @Test func parametersHaveValueLogs() throws {
    let journalSender = JournalSender()
    journalSender.send(control(101, 0), control(100, 2))
    let selected = try journalSender.journalOfGuardPacket()[1]!
    #expect(selected.controllers.isEmpty && selected.m?.isInProgress == true && selected.m?.pending == nil)
    #expect(selected.parameters.map(\.number) == [2] && selected.parameters[0].entryHigh == nil)
    #expect(selected.m!.logsAreShort && selected.m!.allRegistered)
    journalSender.send(control(6, 64), control(38, 5), control(96, 0), control(96, 0), control(97, 0))
    let log = try journalSender.journalOfGuardPacket()[1]!.parameters[0]
    #expect(log.entryHigh == .init(false, 64) && log.entryLow == .init(false, 5))
    #expect(log.buttons == .init(1, isBeforeReset: false) && log.usesValueTool && !log.usesCountTool)
    journalSender.send(control(6, 65), control(99, 1), control(98, 7), control(97, 0), control(99, 2))
    let both = try journalSender.journalOfGuardPacket()[1]!
    #expect(both.parameters.map(\.number) == [2, UInt14(low: 7, high: 1)])
    #expect(both.parameters.map(\.isNonRegistered) == [false, true])
    #expect(both.parameters.map(\.buttons) == [nil, .init(-1, isBeforeReset: false)])
    #expect(both.m?.pending == FlaggedValue(true, 2) && both.m?.isInProgress == false)
    #expect(!both.m!.s && both.parameters.allSatisfy { $0.s }, "the previous packet contained the pending MSB")
    // 127, 127 is the null parameter: no parameter is selected.
    journalSender.send(control(101, 127), control(100, 127))
    let null = try journalSender.journalOfGuardPacket()[1]!
    #expect(
      null.m?.pending == nil && null.m?.isInProgress == false && null.parameters.count == 2 && null.controllers.isEmpty)
    journalSender.send(control(6, 1))
    let plain = try journalSender.journalOfGuardPacket()[1]!
    #expect(
      plain.controllers.map(\.number) == [6] && plain.parameters.count == 2,
      "without a selected parameter, controller 6 is in Chapter C")
  }

  @Test func resetAllControllersKeepsParametersButNotTheSelection() throws {
    let journalSender = JournalSender()
    journalSender.send(control(101, 0), control(100, 0), control(6, 12), control(121, 0))
    let journal = try journalSender.journalOfGuardPacket()[1]!
    #expect(journal.parameters[0].entryHigh == .init(true, 12) && journal.m?.isInProgress == false)
    #expect(journal.controllers.map(\.number) == [121])
  }

  @Test func parametersAreLimitedTo32() throws {
    let journalSender = JournalSender()
    for number: UInt8 in 0..<40 {
      journalSender.send(control(99, 1), control(98, UInt7(masking: number)), control(6, UInt7(masking: number)))
    }
    let journal = try journalSender.journalOfGuardPacket()
    #expect(journal[1]!.parameters.map(\.number.low.value) == Array(8..<40))
    // Each parameter was sent in three packets. The first eight parameters were discarded.
    #expect(journalSender.discarded == 8 && journal.header.checkpoint == 1 + 8 * 3)
  }

  @Test func overlappingNotesHaveReferenceCounts() throws {
    let journalSender = JournalSender()
    let on = Message.noteOn(one, key: 60, velocity: 100)
    journalSender.send(on, on, on)
    let held = try journalSender.journalOfGuardPacket()[1]!
    #expect(held.notes.map(\.value) == [100] && held.notes[0].flag && held.off.isEmpty)
    // Without V, the value is the reference count; with V, it is the release velocity.
    #expect(held.extras.map(\.value) == [3] && held.extras.map(\.flag) == [false])
    journalSender.send(.noteOff(one, key: 60, velocity: 5))
    let off = try journalSender.journalOfGuardPacket()[1]!
    #expect(off.notes.isEmpty && off.off == [60])
    #expect(off.extras.map(\.value) == [2, 5] && off.extras.map(\.flag) == [false, true])
    journalSender.send(.noteOn(one, key: 60, velocity: 0), .noteOn(one, key: 60, velocity: 0))
    let ended = try journalSender.journalOfGuardPacket()[1]!
    #expect(ended.off == [60] && ended.header.chapters & 0x04 == 0, "Note On with velocity 0 counts as velocity 64")
    journalSender.send(.noteOff(one, key: 60, velocity: 64), .noteOn(one, key: 60, velocity: 1))
    #expect(try journalSender.journalOfGuardPacket()[1]!.extras.isEmpty, "an additional Note Off has no effect")
  }

  /// All Sound Off (120), All Notes Off (123) and the mode messages (124...127) end all notes of the channel.
  @Test func allNotesOffRemovesNotes() throws {
    for controller: UInt7 in [120, 123, 124, 125, 126, 127] {
      let journalSender = JournalSender()
      let on = Message.noteOn(one, key: 60, velocity: 100)
      journalSender.send(on, on, .noteOn(Channel(2)!, key: 1, velocity: 1), control(controller, 0))
      let journal = try journalSender.journalOfGuardPacket()
      // 0x40 is Chapter C only.
      #expect(journal[1]!.header.chapters == 0x40 && journal[1]!.controllers.map(\.tool) == [.count(1)])
      #expect(journal[2]!.notes.count == 1)
      // The reference count of the note begins again, so Chapter E has no log.
      journalSender.send(on)
      #expect(try journalSender.journalOfGuardPacket()[1]!.extras.isEmpty)
    }
  }

  @Test func all128NotesAreLogged() throws {
    let journalSender = JournalSender()
    for key in 0..<128 { journalSender.send(.noteOn(one, key: UInt7(clamping: key), velocity: 1)) }
    let full = try journalSender.journalOfGuardPacket()[1]!
    #expect(full.n?.logs == 128 && full.notes.count == 128 && full.off.isEmpty)
    journalSender.send(.noteOff(one, key: 127, velocity: 64))
    // LOW and HIGH delimit the octets of Note Off bits. Octet 15 is that of the notes 120...127.
    let oneOff = try journalSender.journalOfGuardPacket()[1]!
    #expect(oneOff.n?.logs == 127 && oneOff.off == [127] && oneOff.n?.low == 15 && oneOff.n?.high == 15)
    for key in 0..<127 { journalSender.send(.noteOff(one, key: UInt7(clamping: key), velocity: 64)) }
    let allOff = try journalSender.journalOfGuardPacket()[1]!
    #expect(allOff.notes.isEmpty && allOff.off.count == 128 && allOff.n?.low == 0 && allOff.n?.high == 15)
  }

  @Test func wheelsAndPressuresAreLogged() throws {
    let journalSender = JournalSender()
    journalSender.send(
      .pitchBend(one, 1), .pitchBend(one, 16383), .channelPressure(one, pressure: 9),
      .polyphonicPressure(one, key: 1, pressure: 2), .polyphonicPressure(one, key: 3, pressure: 4),
      .polyphonicPressure(one, key: 1, pressure: 5))
    let journal = try journalSender.journalOfGuardPacket()[1]!
    #expect(journal.w == 16383 && journal.t == 9)
    #expect(journal.pressures.map(\.number) == [3, 1] && journal.pressures.map(\.value) == [4, 5])
  }
}
