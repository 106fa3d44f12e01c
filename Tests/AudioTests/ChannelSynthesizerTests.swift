import CAllocationCount
import MIDI
import Testing
import _TestSupport

@testable import Audio

/// Tests of the sixteen-channel synthesizer.
@Suite struct ChannelSynthesizerTests {
  private func makeSynthesizer(_ font: InstalledSoundFont) throws -> ChannelSynthesizer {
    ChannelSynthesizer(try SoundFont(font.path, rate: 48_000))
  }

  private func on(_ channel: Int, _ key: UInt7 = 60, _ velocity: UInt7 = 100) -> Message {
    .noteOn(Channel(channel)!, key: key, velocity: velocity)
  }

  private func off(_ channel: Int, _ key: UInt7 = 60) -> Message {
    .noteOff(Channel(channel)!, key: key, velocity: 64)
  }

  private func control(_ channel: Int, _ controller: UInt7, _ value: UInt7) -> Message {
    .controlChange(Channel(channel)!, controller: controller, value: value)
  }

  /// Returns the first `count` frames of a new synthesizer that has received `messages`.
  private func sound(_ font: InstalledSoundFont, of messages: [Message], _ count: Int = 24_000) throws -> Sound {
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(messages)
    return synthesizer.render(count)
  }

  /// The message that selects an organ on channel 16. The notes of the organ sound as long as they are held.
  private let organ = [Message.programChange(Channel(16)!, program: 19)]

  /// A number of frames after which a released note is silent. The release of the organ takes 0.8 s in TimGM6mb and 2.2 s in FluidR3.
  private static let release = 4 * 48_000

  @Test(arguments: InstalledSoundFont.all) func everyPeerChannelHasADistinctInstrumentWithFastAttack(
    font: InstalledSoundFont
  ) throws {
    var sounds: [Sound] = []
    for channel in 2...16 where channel != 10 {
      let sound = try sound(font, of: [on(channel)])
      // All instruments have a similar level.
      let peak = sound.peak
      #expect(peak > 0.15 && peak < 0.5, "channel \(channel): \(peak)")
      let attack = try #require(
        zip(sound.left, sound.right).enumerated().first { max(abs($1.0), abs($1.1)) >= peak / 2 }
      ).offset
      // A millisecond has 48 frames.
      #expect(attack < 40 * 48, "channel \(channel) takes \(attack / 48) ms to reach half of its peak")
      #expect(!sounds.contains { $0.firstDifference(from: sound) == nil }, "channel \(channel) sounds like another one")
      sounds.append(sound)
    }
  }

  @Test(arguments: InstalledSoundFont.all) func programChangeReplacesTheInstrument(font: InstalledSoundFont) throws {
    // The default instrument of channel 4 is a marimba.
    let marimba = try sound(font, of: [on(4)])
    let program = ChannelSynthesizer.defaultProgram(of: Channel(4)!)
    let changed = try sound(font, of: [.programChange(Channel(2)!, program: program), on(2)])
    #expect(changed == marimba)
  }

  /// Brightness (CC 74) has no effect at 64. Lower values make the sound darker: successive samples differ less.
  @Test(arguments: InstalledSoundFont.all) func brightnessFiltersTheSound(font: InstalledSoundFont) throws {
    // A sawtooth, which has many overtones.
    let lead = Message.programChange(Channel(5)!, program: 81)
    let sound = try sound(font, of: [lead, on(5)])
    #expect(try self.sound(font, of: [lead, control(5, 74, 64), on(5)]) == sound)
    func roughness(_ sound: Sound) -> Float {
      zip(sound.left, sound.left.dropFirst()).reduce(0) { $0 + abs($1.0 - $1.1) }
    }
    let dark = try self.sound(font, of: [lead, control(5, 74, 0), on(5)])
    #expect(!dark.isSilent && roughness(dark) < roughness(sound) / 2)
  }

  /// Channel 1 has no instrument, because it carries only activity between peers. The test sends a message of each of the seven kinds
  /// of channel messages, 0x80 to 0xE0, and a note after each of them.
  @Test(arguments: InstalledSoundFont.all) func channelOneIsSilent(font: InstalledSoundFont) throws {
    var messages: [Message] = []
    for status in stride(from: UInt8(0x80), through: 0xE0, by: 0x10) {
      messages += [Message(status: status, 60, 100)!, on(1)]
    }
    #expect(try sound(font, of: messages).isSilent)
  }

  @Test(arguments: InstalledSoundFont.all) func channelTenPlaysTheDrumKit(font: InstalledSoundFont) throws {
    let drum = try sound(font, of: [on(10, 38)])
    #expect(drum.peak > 0.1)
    // The sound equals that of DrumLanes, except for the level, and except for the first block of 64 frames, in which
    // FluidSynth moves the stereo position.
    var lanes = try DrumLanes(font)
    let isStruck = lanes.strike(38, velocity: 100, at: 0)
    let reference = lanes.render(drum.left.count)
    let ratio = drum[64..<24_000].peak / reference[64..<24_000].peak
    #expect(isStruck)
    let differing = (64..<24_000).first { abs(drum.left[$0] - ratio * reference.left[$0]) >= 0.000_1 }
    #expect(differing == nil)
  }

  @Test(arguments: InstalledSoundFont.all) func messagesWithoutChannelHaveNoEffect(font: InstalledSoundFont) throws {
    let system: [Message] = [.start, .clock, .stop, .reset, .tuneRequest, .songSelect(3), .songPosition(77)]
    let plain = try sound(font, of: [on(3)])
    let mixed = try sound(font, of: [on(3)] + system)
    #expect(mixed == plain)
  }

  @Test(arguments: InstalledSoundFont.all, [false, true]) func heldNoteSoundsUntilNoteOff(
    font: InstalledSoundFont, withVelocityZero: Bool
  ) throws {
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(organ + [on(16)])
    let held = synthesizer.render(10 * 48_000)
    #expect(held[9 * 48_000..<10 * 48_000].peak > 0.02)
    synthesizer.play([withVelocityZero ? on(16, 60, 0) : off(16)])
    _ = synthesizer.render(Self.release)
    #expect(synthesizer.render(48_000).isSilent)
  }

  /// Controllers 120 (All Sound Off), 123 (All Notes Off) and 124...127 (mode messages) end only the notes of their channel.
  @Test(arguments: InstalledSoundFont.all, [120, 123, 124, 125, 126, 127] as [UInt7])
  func channelModeMessageEndsTheNotesOfItsChannel(font: InstalledSoundFont, controller: UInt7) throws {
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(organ + (40..<60).map { on(16, UInt7(masking: $0)) } + [control(16, controller, 0)])
    // All Sound Off acts within a block. The other messages let the notes fade out.
    _ = synthesizer.render(controller == 120 ? 64 : Self.release)
    #expect(synthesizer.render(48_000).isSilent)
    synthesizer.play([on(16), control(15, controller, 0)])
    _ = synthesizer.render(Self.release)
    #expect(synthesizer.render(48_000).peak > 0.02)
  }

  @Test(arguments: InstalledSoundFont.all) func sustainPedalHoldsNotesUntilReleasedOrReset(font: InstalledSoundFont)
    throws
  {
    // Controller 64 is the sustain pedal. It is released by the value 0 and by Reset All Controllers (121), but not by
    // All Notes Off (123).
    for (release, ends) in [(control(16, 64, 0), true), (control(16, 121, 0), true), (control(16, 123, 0), false)] {
      var synthesizer = try makeSynthesizer(font)
      synthesizer.play(organ + [control(16, 64, 127), on(16), off(16)])
      #expect(synthesizer.render(96_000)[48_000..<96_000].peak > 0.02)
      synthesizer.play([release])
      _ = synthesizer.render(Self.release)
      #expect(synthesizer.render(48_000).isSilent == ends, "\(release)")
    }
  }

  @Test(arguments: InstalledSoundFont.all) func controllersPitchBendAndPressureChangeTheSound(font: InstalledSoundFont)
    throws
  {
    let channel = Channel(16)!
    let plain = try sound(font, of: organ + [on(16)])
    // Modulation (1), volume (7), pan (10) and expression (11).
    for message: Message in [
      control(16, 1, 127), control(16, 7, 20), control(16, 10, 0), control(16, 11, 20), .pitchBend(channel, 16_383),
      .channelPressure(channel, pressure: 127),
    ] {
      #expect(try sound(font, of: organ + [message, on(16)]) != plain, "\(message)")
      #expect(try sound(font, of: organ + [on(16), message]) != plain, "\(message)")
      // The sound differs because of the message, not at random.
      #expect(
        try sound(font, of: organ + [message, on(16)]) == sound(font, of: organ + [message, on(16)]), "\(message)")
    }
    // Volume 20 attenuates by 40 log10(100 / 20) = 28 dB relative to the default, volume 100.
    #expect(try sound(font, of: organ + [control(16, 7, 20), on(16)]).peak < plain.peak / 4)
  }

  /// Registered parameters 0...2 can be set; the test sets the pitch bend range, parameter 0. Registered parameters from
  /// 3 on and all non-registered parameters have no effect.
  @Test(arguments: InstalledSoundFont.all) func onlyRegisteredParametersUpToTwoHaveAnEffect(font: InstalledSoundFont)
    throws
  {
    let bend = organ + [.pitchBend(Channel(16)!, 16_383)]
    /// Returns messages that select the parameter (`high`, `low`) by controllers 101 and 100, or by 99 and 98 if it is not registered, and
    /// set it to 12 by Data Entry (6 and 38). A pitch bend range of 12 means twelve semitones.
    func parameter(_ high: UInt7, _ low: UInt7, isRegistered: Bool) -> [Message] {
      [
        control(16, isRegistered ? 101 : 99, high), control(16, isRegistered ? 100 : 98, low), control(16, 38, 0),
        control(16, 6, 12),
      ]
    }
    let plain = try sound(font, of: bend + [on(16)])
    #expect(try sound(font, of: bend + parameter(0, 0, isRegistered: true) + [on(16)]) != plain)
    // Registered parameters 3...7 and 127.
    for low in 3...127 as ClosedRange<UInt8> where low < 8 || low == 127 {
      #expect(try sound(font, of: bend + parameter(0, UInt7(masking: low), isRegistered: true) + [on(16)]) == plain)
    }
    // In FluidSynth, the non-registered parameter (120, n) sets SoundFont generator n. Generator 8 is the cutoff of the filter.
    #expect(try sound(font, of: bend + parameter(120, 8, isRegistered: false) + [on(16)]) == plain)
  }

  /// The synthesizer ignores the selection of tuning programs. FluidSynth would allocate each program at its first
  /// selection, up to 16 384 programs.
  @Test(arguments: InstalledSoundFont.all) func tuningSelectionAllocatesNoMemory(font: InstalledSoundFont) throws {
    var synthesizer = try makeSynthesizer(font)
    // Registered parameter 3 is the tuning program. Data Entry (6) sets its number.
    let parameterSelection = [control(16, 101, 0), control(16, 100, 3)]
    let programs = (0..<128).map { control(16, 6, UInt7(masking: $0)) }
    synthesizer.play(parameterSelection + programs[0..<1])
    allocation_count_begin()
    var number = 1
    var areAccepted = true
    while number < programs.count {
      if !synthesizer.play(programs[number]) { areAccepted = false }
      number += 1
    }
    let count = allocation_count_end()
    #expect(count == 0 && areAccepted)
  }

  /// 64 notes sound. Then more messages arrive at once than the ring buffer of FluidSynth holds. The Note Offs are the last ones.
  @Test(arguments: InstalledSoundFont.all) func messageFloodLosesNoNoteOff(font: InstalledSoundFont) throws {
    let keys = (30..<94).map { UInt7(masking: $0) }
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(organ + keys.map { on(16, $0) })
    #expect(synthesizer.render(48_000).peak > 0.1)
    // 500 times Reset All Controllers.
    synthesizer.play((0..<500).map { _ in control(16, 121, 0) } + keys.map { off(16, $0) })
    _ = synthesizer.render(Self.release)
    #expect(synthesizer.render(48_000).isSilent)
  }

  @Test(arguments: InstalledSoundFont.all) func chordOfTwelveNotesFitsIntoOneBlock(font: InstalledSoundFont) throws {
    var synthesizer = try makeSynthesizer(font)
    for key in 60..<72 as Range<UInt8> {
      let isAccepted = synthesizer.play(on(2, UInt7(masking: key)))
      #expect(isAccepted)
    }
  }

  @Test(arguments: InstalledSoundFont.all, UInt64(1)...4) func randomMessagesAllocateNoMemoryAndAllNotesEnd(
    font: InstalledSoundFont, seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    let messages = (0..<50_000).map { _ in
      let status = UInt8(random.integer(in: 0x80...0xFF))
      // One message in four, on average, is a controller with a special meaning.
      let isControl = random.integer(in: 0...3) == 0
      let special = [0, 5, 6, 32, 38, 64, 65, 66, 68, 84, 96, 98, 99, 100, 101, 120, 121, 122, 123, 124, 125, 126, 127]
      let first = isControl ? special[Int(random.integer(in: 0...22))] : Int(random.integer(in: 0...127))
      return Message(
        status: isControl ? 0xB0 | status & 0x0F : status, UInt7(clamping: first),
        UInt7(clamping: Int(random.integer(in: 0...127)))) ?? .reset
    }
    var synthesizer = try makeSynthesizer(font)
    var left = [Float](repeating: 0, count: 512)
    var right = [Float](repeating: 0, count: 512)
    allocation_count_begin()
    var number = 0
    while number < messages.count {
      // When a block accepts no more messages, render it.
      while !synthesizer.play(messages[number]) {
        var l = left.mutableSpan
        var r = right.mutableSpan
        synthesizer.mix(into: &l, &r, from: 0, to: 64)
      }
      number += 1
      // After every 16 messages, render fewer than 512 frames.
      guard number % 16 == 0 else { continue }
      var l = left.mutableSpan
      var r = right.mutableSpan
      synthesizer.mix(into: &l, &r, from: 0, to: number % 512)
    }
    let count = allocation_count_end()
    #expect(count == 0, "seed \(seed)")
    // All Sound Off.
    synthesizer.play((2...16).map { control($0, 120, 0) })
    _ = synthesizer.render(128)
    #expect(synthesizer.render(48_000).isSilent, "seed \(seed)")
    // The synthesizer still plays, after Reset All Controllers (121), with volume 100 (7) and a piano.
    synthesizer.play([control(5, 121, 0), control(5, 7, 100), .programChange(Channel(5)!, program: 0), on(5)])
    #expect(synthesizer.render(4_800).peak > 0.01, "seed \(seed)")
  }

  @Test(arguments: InstalledSoundFont.all, [1, 63, 64, 256, 5_000, 48_000]) func notesContinueAfterASkip(
    font: InstalledSoundFont, gap: Int
  ) throws {
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(organ + [on(16)])
    let uninterrupted = synthesizer.render(100 + gap + 2_000)
    var skipping = try makeSynthesizer(font)
    skipping.play(organ + [on(16)])
    _ = skipping.render(100)
    skipping.skip(to: Int64(100 + gap))
    #expect(skipping.position == Int64(100 + gap))
    #expect(skipping.render(2_000) == uninterrupted[100 + gap..<100 + gap + 2_000])
  }

  /// A skip of more than a second (48 000 frames) ends all voices. A skip back has no effect.
  @Test(arguments: InstalledSoundFont.all) func longSkipSilencesAllVoices(font: InstalledSoundFont) throws {
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(organ + [on(16)])
    _ = synthesizer.render(100)
    // Skips 48 001 frames.
    synthesizer.skip(to: 48_101)
    #expect(synthesizer.render(2_000).isSilent)
    // The skip to frame 5 leaves the position after the 2000 rendered frames.
    synthesizer.skip(to: 5)
    #expect(synthesizer.position == 50_101)
  }

  /// A note begins on its exact frame, even while other notes sound. The sound equals the sum of the sounds of each note alone.
  @Test(arguments: InstalledSoundFont.all) func notesBeginOnExactFrames(font: InstalledSoundFont) throws {
    // The first frame and the channel of each note.
    let starts = [(0, 2), (37, 3), (100, 3), (101, 5), (1_000, 6), (1_063, 2)]
    var synthesizer = try makeSynthesizer(font)
    var sound = Sound()
    for (number, (start, channel)) in starts.enumerated() {
      sound += synthesizer.render(start - sound.left.count)
      let isAccepted = synthesizer.play(on(channel, UInt7(masking: UInt8(60 + number))))
      #expect(isAccepted)
    }
    sound += synthesizer.render(6_000 - sound.left.count)
    var sum = [Float](repeating: 0, count: 6_000)
    for (number, (start, channel)) in starts.enumerated() {
      let alone = try self.sound(font, of: [on(channel, UInt7(masking: UInt8(60 + number)))], 6_000)
      for frame in start..<6_000 { sum[frame] += alone.left[frame - start] }
    }
    let difference = zip(sound.left, sum).map { abs($0 - $1) }.max() ?? 1
    #expect(sound.peak > 0.2 && difference < 1e-5, "\(difference)")
  }

  /// A repeated key ends its earlier note, even if another lane plays that note. In the last of three seconds, the peak is that of a single
  /// note.
  @Test(arguments: InstalledSoundFont.all) func repeatedKeyEndsItsEarlierNote(font: InstalledSoundFont) throws {
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play(organ + [on(16)])
    // 1001 is no multiple of 64. Therefore the second note begins within a block of the lane of the first note, and gets another lane.
    _ = synthesizer.render(1_001)
    synthesizer.play([on(16)])
    let repeated = synthesizer.render(144_000)
    let once = try sound(font, of: organ + [on(16)], 144_000)
    let lastSecond = 96_000..<144_000
    #expect(repeated[lastSecond].peak < 1.01 * once[lastSecond].peak)
  }

  /// There are twelve lanes. More than twelve notes begin at different phases (frame numbers modulo 64): the notes are 67 frames apart, a
  /// block and 3 frames. Each note sounds, at most 63 frames late.
  @Test(arguments: InstalledSoundFont.all) func moreNotesThanLanesSound(font: InstalledSoundFont) throws {
    func render(_ count: Int, then rest: Int = 0) throws -> Sound {
      var synthesizer = try makeSynthesizer(font)
      synthesizer.play(organ)
      var sound = Sound()
      for number in 0..<count {
        synthesizer.play([on(16, UInt7(masking: UInt8(40 + number)))])
        sound += synthesizer.render(67)
      }
      sound += synthesizer.render(rest)
      return sound
    }
    let all = try render(24)
    // The notes 0...11 occupy all lanes.
    for number in 12..<24 {
      // The next 67 frames differ from those without the note.
      let (start, end) = (number * 67, number * 67 + 67)
      let without = try render(number, then: 67)
      #expect(without[0..<start] == all[0..<start] && without[start..<end] != all[start..<end], "\(number)")
    }
  }

  /// From 128 voices on, each new note ends the voices of the lane whose last note is the oldest.
  @Test(arguments: InstalledSoundFont.all) func numberOfVoicesIsBounded(font: InstalledSoundFont) throws {
    var synthesizer = try makeSynthesizer(font)
    // A note of the strings has two to six voices, which sound as long as the key is held.
    synthesizer.play([15, 16].map { .programChange(Channel($0)!, program: 48) })
    var highest: Int32 = 0
    for key in 0..<128 as Range<UInt8> {
      synthesizer.play([on(16, UInt7(masking: key)), on(15, UInt7(masking: key))])
      _ = synthesizer.render(65)
      highest = max(highest, synthesizer.voices)
    }
    // The limit is checked before each note, so the voices of the last notes can exceed it. The range leaves a margin.
    #expect((120...160).contains(highest), "\(highest)")
  }

  /// Notes that depend on earlier notes share a lane: drums that cut each other off, and notes with portamento, which glide from the
  /// previous note.
  @Test(arguments: InstalledSoundFont.all) func notesThatDependOnEarlierOnesShareALane(font: InstalledSoundFont) throws
  {
    // The closed hi-hat (42) cuts off the open one (46).
    var synthesizer = try makeSynthesizer(font)
    synthesizer.play([on(10, 46)])
    _ = synthesizer.render(1_001)
    synthesizer.play([on(10, 42)])
    let cut = synthesizer.render(9_600)
    let closed = try sound(font, of: [on(10, 42)], 9_600)
    let ringing = try sound(font, of: [on(10, 46)], 9_600 + 1_001)
    // FluidSynth fades the open hi-hat out within some tenths of a second. By then, the closed hi-hat has ended. The measured peaks of
    // the tail are 0.063 for the ringing open hi-hat, 0.018 if it is cut off, and 0 for the closed hi-hat.
    let tail = 4_800..<9_600
    #expect(ringing[tail].peak > 2 * closed[tail].peak && cut[tail].peak < ringing[tail].peak / 2)

    func glide(_ isOn: Bool) throws -> Sound {
      var synthesizer = try makeSynthesizer(font)
      // Portamento (65) with its time (5).
      synthesizer.play(organ + [control(16, 5, 64), control(16, 65, isOn ? 127 : 0), on(16, 48)])
      _ = synthesizer.render(1_001)
      synthesizer.play([off(16, 48), on(16, 72)])
      return synthesizer.render(4_800)
    }
    #expect(try glide(true) != glide(false))
  }
}
