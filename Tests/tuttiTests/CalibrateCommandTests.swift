import Audio
import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport
import _TestTraits

/// Tests of `tutti calibrate --from`, which measures the delays of phones in a recording. The recordings are simulated.
@Suite(.ownThreads) struct CalibrateCommandTests {
  /// The members of the JSON output that are tested.
  fileprivate struct Listing: Decodable {
    struct Phone: Decodable {
      var phone: Int
      var delayMs, uncertaintyMs: Double?
      var clicksUsed, clicksRejected: Int?
      var problem: String?
    }
    struct Provenance: Decodable { var command: String }
    var provenance: Provenance
    var phones: [Phone]
  }

  /// Returns the samples of a recording of calibrations at 48 kHz. A calibration begins every 7 s, the first one at 0.7 s. `delays` are
  /// the delays of the phones in milliseconds; nil for a silent phone. In each calibration, the peer clicks on time, and the phone clicks
  /// late by its delay (``ClickPattern``). A click is the sound of a real peer: key 75, Claves. The recording contains white noise. The
  /// power of the noise is 20 dB (a factor of 100) below the power of the first 10 ms (480 frames) of a click.
  private static func recording(of delays: [Double?], seed: UInt64) throws -> [Float] {
    let sample = try #require(
      try SampleRenderer(soundFont: InstalledSoundFont.timGM6mb.path).render(.drum(75), milliseconds: 200))
    let click = sample.levels.map { 0.2 * Float($0) / 32_768 }
    var samples = [Float](repeating: 0, count: delays.count * 7 * 48_000 + 48_000)
    func add(_ seconds: Double) {
      let first = Int((seconds * 48_000).rounded())
      for (index, value) in click.enumerated() { samples[first + index] += value }
    }
    let origin = Instant(nanoseconds: 0)
    for (index, delay) in delays.enumerated() {
      let beginning = 0.7 + 7 * Double(index)
      for instant in ClickPattern.reference.instants(from: origin) { add(beginning + (instant - origin).seconds) }
      guard let delay else { continue }
      for instant in ClickPattern.device.instants(from: origin) {
        add(beginning + (instant - origin).seconds + delay / 1e3)
      }
    }
    let power = click.prefix(480).reduce(0) { $0 + $1 * $1 } / 480
    // Uniform noise of amplitude a has the power a^2 / 3.
    let amplitude = (3 * power / 100).squareRoot()
    var random = SplitMix(seed: seed)
    for index in samples.indices { samples[index] += Float.random(in: -amplitude...amplitude, using: &random) }
    return samples
  }

  /// Writes a WAV file: one channel of 16 bits at 48 kHz.
  private static func write(_ samples: [Float], to path: String) throws {
    var data = Data("RIFF".utf8)
    func append<Value: FixedWidthInteger>(_ value: Value) {
      withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
    append(UInt32(36 + 2 * samples.count))
    data.append(Data("WAVEfmt ".utf8))
    // The length of the chunk, the format (1: PCM) and the number of channels.
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(1))
    // Frames per second, octets per second, octets per frame, and bits per sample.
    append(UInt32(48_000))
    append(UInt32(96_000))
    append(UInt16(2))
    append(UInt16(16))
    data.append(Data("data".utf8))
    append(UInt32(2 * samples.count))
    for sample in samples { append(Int16(max(-32_768, min(32_767, (sample * 32_768).rounded())))) }
    try data.write(to: URL(fileURLWithPath: path))
  }

  @Test func delaysInAFileAreExactToAMillisecond() async throws {
    let folder = try TemporaryFolder()
    for seed in UInt64(1)...3 {
      var random = SplitMix(seed: seed)
      let delays = (0..<4).map { $0 == 2 ? nil : Double.random(in: -50...400, using: &random) }
      try Self.write(try Self.recording(of: delays, seed: seed), to: folder.path("room.wav"))
      let outcome = try await Child.tutti(["calibrate", "--from", "room.wav", "--json"], in: folder).outcome()
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
      var validator = try SchemaValidator(ReportSchema.calibrate.document)
      #expect(try validator.validate(outcome.output) == [])
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      let listing = try decoder.decode(Listing.self, from: Data(outcome.output.utf8))
      #expect(listing.provenance.command.hasSuffix("calibrate --from room.wav --json"))
      #expect(listing.phones.map(\.phone) == [1, 2, 3, 4], "seed \(seed)")
      for (phone, delay) in zip(listing.phones, delays) {
        // A phone clicks twelve times in a calibration.
        guard let delay else {
          #expect(phone.delayMs == nil && phone.problem?.contains("of 12 clicks heard") == true, "seed \(seed)")
          continue
        }
        let measured = try #require(phone.delayMs, "seed \(seed): \(phone.problem ?? "")")
        #expect(abs(measured - delay) < 1, "seed \(seed): \(measured), not \(delay)")
        #expect((phone.clicksUsed ?? 0) + (phone.clicksRejected ?? 0) == 12)
      }
    }
  }

  @Test func badInputIsReported() async throws {
    let folder = try TemporaryFolder()
    try Self.write([Float](repeating: 0, count: 48_000), to: folder.path("silent.wav"))
    var random = SplitMix(seed: 1)
    let noise = (0..<480_000).map { _ in Float.random(in: -0.1...0.1, using: &random) }
    try Self.write(noise, to: folder.path("noise.wav"))
    try Data("no sound".utf8).write(to: folder.url.appendingPathComponent("text.wav"))
    for (file, status, reason) in [
      ("silent.wav", 65, "silent"), ("noise.wav", 65, "no calibration found"), ("text.wav", 65, "text.wav"),
      ("missing.wav", 69, "missing.wav"),
    ] {
      let outcome = try await Child.tutti(["calibrate", "--from", file], in: folder).outcome()
      #expect(outcome.status == Int32(status) && outcome.output == "", "\(file): \(outcome)")
      #expect(outcome.errors.contains(reason) && outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }
    // A calibration of a silent phone. The exit status is 1 if no phone has a delay.
    try Self.write(try Self.recording(of: [nil], seed: 1), to: folder.path("off.wav"))
    let outcome = try await Child.tutti(["calibrate", "--from", "off.wav"], in: folder).outcome()
    #expect(outcome.status == 1 && outcome.output.contains("of 12 clicks heard"), "\(outcome)")
  }
}
