import Foundation
import Testing
import _TestSupport

@testable import Audio

/// Tests of FLAC files in memory (``FLACFile``). libsndfile decodes the files.
@Suite struct FLACFileTests {
  /// Writes a FLAC file with these samples, and returns the samples that libsndfile reads from it.
  private func decoded(_ levels: [Int16], rate: Int64 = 48_000) throws -> (levels: [Int16], rate: Int) {
    let octets = try #require(FLACFile.octets(of: levels, rate: rate))
    #expect(octets.starts(with: Array("fLaC".utf8)))
    let folder = try TemporaryFolder()
    try Data(octets).write(to: folder.url.appendingPathComponent("sample.flac"))
    let file = try SoundFile(path: folder.path("sample.flac"))
    #expect(!file.isTruncated && file.tracks.count == 1)
    // A 16-bit sample n is read as the exact value n / 32768.
    return (file.samples.map { Int16($0 * 32_768) }, file.rate)
  }

  /// 4096 frames are one block of the encoder.
  @Test(arguments: [1, 15, 16, 4095, 4096, 4097, 20_000]) func decodedSamplesAreIdentical(count: Int) throws {
    var random = SplitMix(seed: UInt64(count))
    let noise = (0..<count).map { _ in Int16(truncatingIfNeeded: random.next()) }
    let tone = (0..<count).map { Int16((sin(Double($0) / 20) * 32_767).rounded()) }
    let extremes = (0..<count).map { $0 % 2 == 0 ? Int16.min : .max }
    for levels in [noise, tone, extremes, [Int16](repeating: 0, count: count)] {
      #expect(try decoded(levels).levels == levels)
    }
  }

  @Test(arguments: [8_000, 44_100, 48_000] as [Int64]) func rateIsStated(rate: Int64) throws {
    #expect(try decoded([1, 2, 3], rate: rate).rate == Int(rate))
  }

  /// The test encodes sounds of the web page: drums, and tones of two programs. A WAV file would have two bytes per sample.
  @Test func renderedSoundsAreLosslessAndSmallerThanWAV() throws {
    let renderer = try SampleRenderer(.timGM6mb)
    var sizes = (flac: 0, wav: 0)
    for sound in [.drum(36), .drum(38), .drum(42), .tone(program: 12, key: 60), .tone(program: 73, key: 72)]
      as [SampleRenderer.Sound]
    {
      let sample = try #require(renderer.render(sound, milliseconds: 2000))
      #expect(try decoded(sample.levels, rate: sample.rate).levels == sample.levels, "\(sound)")
      sizes.flac += try #require(FLACFile.octets(of: sample.levels, rate: sample.rate)).count
      sizes.wav += 2 * sample.levels.count
    }
    #expect(sizes.flac < sizes.wav * 3 / 4, "\(sizes)")
  }
}
