import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport
import _TestTraits

/// Tests of `tutti measure follower` with a file of the clock that was sent, and a recording of the device that followed it.
@Suite(.ownThreads) struct FollowerCommandTests {
  /// The members of the JSON report that are tested.
  fileprivate struct Report: Decodable {
    struct Provenance: Decodable {
      struct Input: Decodable { var file, sha256: String }
      var inputs: [Input]
    }
    struct Loss: Decodable { var shiftTicks: Double }
    struct Transfer: Decodable { var ratio: Double }
    struct Step: Decodable { var lagUs, settlingS: Double }
    var provenance: Provenance
    var delayUs: Double?
    var recorderDriftPpm: Double?
    var transfer: Transfer
    var steps: [Step]
    var losses: [Loss]
  }

  /// Creates a folder with a clock in `clock.jsonl` and a recording of a simulated device in `device.wav`. The clock has a jitter of
  /// 2 ms, a change of tempo by `step` percent, and four lost ticks. The device counts the ticks that arrive, and plays a click at the
  /// arrival of every sixth tick: four clicks per quarter note. A click is a tone of 3 kHz that decays with a time constant of 1 ms.
  private func folder(step: Double = 5) throws -> TemporaryFolder {
    let stimulus = try FollowerStimulus(tempo: 120, jitter: 2, step: step, losses: 4, seconds: 6, seed: 3)
    let origin = Instant(nanoseconds: 5_000_000_000)
    var record = StimulusRecord(
      StimulusRecord.Header(stimulus: stimulus, output: "x", origin: origin, version: "1", command: "test"))
    var text = record.header.line
    for (number, tick) in record.ticks.enumerated() where !tick.isLost {
      text += record.add(number, sent: origin + Nanoseconds(tick.planned))
    }
    let arrivals = record.sent.compactMap { $0 }
    var samples = [Int16](repeating: 0, count: Int((arrivals.last! - origin.nanoseconds) / 1_000_000) * 48 + 96_000)
    for index in stride(from: 0, to: arrivals.count, by: 6) {
      // The recording begins one second (48 000 frames) before the origin. At 48 kHz, one nanosecond is 48e-6 frames.
      let position = Double(arrivals[index] - origin.nanoseconds) * 48e-6 + 48_000
      for frame in Int(position.rounded(.up))..<Int(position) + 300 {
        let time = (Double(frame) - position) / 48e3
        samples[frame] = Int16(24_000 * sin(2 * .pi * 3_000 * time) * exp(-time / 1e-3))
      }
    }
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: folder.url.appendingPathComponent("clock.jsonl"))
    try wave(samples).write(to: folder.url.appendingPathComponent("device.wav"))
    return folder
  }

  /// A WAV file with one channel of 16 bits at 48 kHz. 96 000 is the number of octets per second.
  private func wave(_ samples: [Int16]) -> Data {
    var data = Data()
    func append(_ value: UInt32, _ size: Int) {
      for byte in 0..<size { data.append(UInt8(value >> (8 * byte) & 0xFF)) }
    }
    data += Data("RIFF".utf8)
    append(UInt32(36 + 2 * samples.count), 4)
    data += Data("WAVEfmt ".utf8)
    append(16, 4)
    append(1, 2)
    append(1, 2)
    append(48_000, 4)
    append(96_000, 4)
    append(2, 2)
    append(16, 2)
    data += Data("data".utf8)
    append(UInt32(2 * samples.count), 4)
    for sample in samples { append(UInt32(UInt16(bitPattern: sample)), 2) }
    return data
  }

  /// Without a tempo step, the picture has no panel of the tempo steps.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gnuplot"), "gnuplot is not installed"))
  func pictureWithoutTempoStepsIsWritten() async throws {
    let folder = try folder(step: 0)
    let command = ["measure", "follower", "clock.jsonl", "--listen", "device.wav", "--pulses", "--plot", "x.svg"]
    let outcome = try await Child.tutti(command, in: folder).outcome()
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    let picture = try String(contentsOf: folder.url.appendingPathComponent("x.svg"), encoding: .utf8)
    #expect(picture.contains("phase error") && !picture.contains("time after the tempo step"))
    #expect(picture.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("</svg>"))
  }

  @Test func figuresDescribeTheSimulatedDevice() async throws {
    let folder = try folder()
    let command = ["measure", "follower", "clock.jsonl", "--listen", "device.wav", "--pulses", "--json"]
    let outcome = try await Child.tutti(command, in: folder).outcome()
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    var validator = try SchemaValidator(ReportSchema.follower.document)
    #expect(try validator.validate(outcome.output) == [])
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let report = try decoder.decode(Report.self, from: Data(outcome.output.utf8))
    // The recorder and the sent clock have the same rate, so the drift is near 0. The recording has no time reference, so the delay after
    // the sent ticks is unknown.
    #expect(abs(try #require(report.recorderDriftPpm)) < 30)
    #expect(report.delayUs == nil)
    // The device does not smooth the clock, so its clicks have the jitter of the ticks.
    #expect(abs(report.transfer.ratio - 1) < 0.2)
    // The tempo changes twice: by 5 %, and back. The device follows each change at once.
    #expect(report.steps.count == 2 && report.steps.allSatisfy { abs($0.lagUs) < 500 && $0.settlingS == 0 })
    // The device counts the ticks that arrive, so after each lost tick it is one tick late.
    #expect(report.losses.count == 4 && report.losses.allSatisfy { abs($0.shiftTicks - 1) < 0.05 })
    #expect(report.provenance.inputs.map(\.file) == ["clock.jsonl", "device.wav"])
  }

  @Test func allFormsHaveTheProvenance() async throws {
    let folder = try folder()
    // The device plays four clicks per quarter note. `--sounds-per-quarter 8` expects clicks on eight grid lines per quarter note, so the
    // device plays on every second grid line. After each of the four lost ticks, the device is late by one more tick, so it has kept its
    // phase after none of them.
    for (form, text) in [
      ([], "Delay unknown: the recording has another clock"), (["--csv"], "losses,"),
      (["--sounds-per-quarter", "8"], "the device kept its phase after 0 of 4"),
    ] {
      let command = ["measure", "follower", "clock.jsonl", "--listen", "device.wav", "--pulses"] + form
      let outcome = try await Child.tutti(command, in: folder).outcome()
      #expect(outcome.status == 0 && outcome.output.contains("sha256: "), "\(form): \(outcome.errors)")
      #expect(outcome.output.contains(text), "\(form): \(outcome.output)")
    }
  }
}
