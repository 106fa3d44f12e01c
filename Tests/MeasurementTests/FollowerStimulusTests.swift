import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of the clock that `tutti measure follower` sends to a device (the stimulus), and of the file that records it.
@Suite struct FollowerStimulusTests {
  /// The ideal instant of a tick has no jitter. The planned instant of a tick has jitter in the part `jitter`. The tempo step is -8 %, so
  /// the part `faster` is slower here. The number of a lost tick is divisible neither by 2 nor by 3, so a device that plays 8 or 12
  /// sounds per quarter note plays no sound on a lost tick.
  @Test(arguments: UInt64(1)...10) func ticksHaveTheStatedProperties(seed: UInt64) throws {
    let stimulus = try FollowerStimulus(tempo: 120, jitter: 2.6, step: -8, losses: 6, seconds: 10, seed: seed)
    let ticks = stimulus.ticks
    let again = try FollowerStimulus(tempo: 120, jitter: 2.6, step: -8, losses: 6, seconds: 10, seed: seed)
    #expect(ticks == again.ticks)
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0.planned < $1.planned && $0.ideal < $1.ideal })
    #expect(stimulus.sections.map(\.part) == [.steady, .faster, .back, .jitter, .losses])
    #expect(stimulus.sections.last?.ticks.upperBound == ticks.count)
    for section in stimulus.sections {
      let shifts = ticks[section.ticks].map { Double($0.planned - $0.ideal) }
      if section.part == .jitter {
        // The jitter is limited to three standard deviations, 7.8 ms.
        let distribution = try #require(Distribution(shifts))
        #expect(distribution.standardDeviation!.isClose(to: 2.6e6, 0.08) && distribution.maximum <= 7.8e6)
      } else {
        #expect(shifts.allSatisfy { $0 == 0 })
      }
      let period = 500e6 / 24 / (section.part == .faster ? 0.92 : 1)
      let length = Double(ticks[section.ticks.upperBound - 1].ideal - ticks[section.ticks.lowerBound].ideal)
      #expect(length.isClose(to: Double(section.ticks.count - 1) * period, 1e-8))
    }
    let lost = ticks.indices.filter { ticks[$0].isLost }
    #expect(lost == stimulus.lostTicks && lost.count == 6)
    for tick in lost { #expect(tick % 2 != 0 && tick % 3 != 0 && stimulus.sections.last!.ticks.contains(tick)) }
    // Each lost tick is in the first quarter note of a window of ten quarter notes.
    for (tick, next) in zip(lost, lost.dropFirst()) { #expect(next - tick > 24 * 9) }
  }

  @Test func partsWithTheValueZeroAreLeftOut() throws {
    let stimulus = try FollowerStimulus(tempo: 120, jitter: 0, step: 0, losses: 0, seconds: 10, seed: 1)
    #expect(stimulus.sections.map(\.part) == [.steady] && stimulus.lostTicks.isEmpty)
    #expect(stimulus.ticks.allSatisfy { $0.planned == $0.ideal && !$0.isLost })
  }

  @Test func valuesOutOfRangeAreRejected() {
    for (tempo, jitter, step, losses, seconds, option) in [
      (19.0, 0.0, 0.0, 0, 10.0, "--bpm 19.0"), (120, 3, 0, 0, 10, "--jitter 3.0: out of range; give 0 to 2.6"),
      (120, .nan, 0, 0, 10, "--jitter nan"), (120, 1, 30, 0, 10, "--step 30.0"), (120, 1, 5, 101, 10, "--losses 101"),
      (120, 1, 5, 1, 3, "--seconds 3.0"),
    ] {
      let error = #expect(throws: ReportError.self) {
        try FollowerStimulus(tempo: tempo, jitter: jitter, step: step, losses: losses, seconds: seconds, seed: 1)
      }
      #expect(error?.description.hasPrefix(option) == true, "\(error!)")
    }
  }

  /// A record is equal to the record that is read from its file. If the last line of the file is cut, only the last tick is
  /// missing.
  @Test func recordIsReadFromItsFile() throws {
    let followers = try Followers(seconds: 4)
    var (copy, text) = (StimulusRecord(followers.record.header), followers.record.header.line)
    for (tick, sent) in followers.record.sent.enumerated() {
      if let sent { text += copy.add(tick, sent: Instant(nanoseconds: sent)) }
    }
    let folder = try TemporaryFolder()
    let url = folder.url.appendingPathComponent("stimulus.jsonl")
    try Data(text.utf8).write(to: url)
    let record = try StimulusRecord(contentsOf: url.path)
    #expect(record.header == followers.record.header && record.sent == followers.record.sent)
    #expect(record.ticks == followers.record.ticks && record.count == record.ticks.count)

    try Data(text.utf8.dropLast(10)).write(to: url)
    #expect(try StimulusRecord(contentsOf: url.path).count == record.ticks.count - 1)
    for (text, reason) in [
      ("", "stimulus.jsonl:1: not a clock saved with --save"), ("{}\n", "stimulus.jsonl:1: not a clock"),
      (followers.record.header.line, "contains no tick"),
      (followers.record.header.line + "{\"sent\":5,\"tick\":-1}\n", "stimulus.jsonl:2: not a tick"),
      (followers.record.header.line.replacing("\"tempo\":120", with: "\"tempo\":1"), "not a clock saved with --save"),
    ] {
      try Data(text.utf8).write(to: url)
      let error = #expect(throws: TraceError.self) { try StimulusRecord(contentsOf: url.path) }
      #expect(error?.description.contains(reason) == true, "\(error!)")
    }
  }
}
