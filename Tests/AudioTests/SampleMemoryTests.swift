import Foundation
import Glibc
import Testing
import _TestSupport

@testable import Audio

/// Tests of a SoundFont of which only the programs in use are in memory. FluidR3 has 141 MB of samples. TimGM6mb has 6 MB and stays in
/// memory as a whole.
@Suite struct SampleMemoryTests {
  /// The part of the sample data that is in memory, 0...1.
  private func residentPart(of soundFont: SoundFont, _ font: InstalledSoundFont) throws -> Double {
    let page = Int(getpagesize())
    // The memory begins in a page with data of the allocator.
    let start = UnsafeMutableRawPointer(bitPattern: Int(bitPattern: soundFont.samples.data) / page * page)
    var pages = [UInt8](repeating: 0, count: try ranges(font).block.count / page)
    try #require(mincore(start, pages.count * page, &pages) == 0)
    return Double(pages.count { $0 & 1 != 0 }) / Double(pages.count)
  }

  private func ranges(_ font: InstalledSoundFont) throws -> SampleRanges {
    let descriptor = try openRegularFile(font.path, flags: O_RDONLY, remedy: "")
    defer { close(descriptor) }
    return try #require(SampleRanges(descriptor))
  }

  @Test(arguments: InstalledSoundFont.all) func everyProgramHasSamples(font: InstalledSoundFont) throws {
    let ranges = try ranges(font)
    #expect(ranges.programs.allSatisfy { !$0.isEmpty })
    #expect(ranges.samples.allSatisfy { $0.upperBound <= ranges.block.count && $0.lowerBound % 2 == 0 })
  }

  /// The notes of a program that is loaded later sound as if all programs were in memory, from the first to the last frame. All
  /// programs of General MIDI, at three keys.
  @Test(arguments: InstalledSoundFont.all) func loadedProgramSoundsAsInACompleteSoundFont(
    font: InstalledSoundFont
  ) throws {
    let complete = try SoundFont(font.path, rate: 48_000)
    let partial = try SoundFont(font.path, rate: 48_000)
    partial.samples.release(keeping: [0])
    var expected = try DrumLanes(complete)
    var actual = try DrumLanes(partial)
    for program in UInt8(0)..<128 {
      partial.samples.load(program)
      for key in [UInt8(36), 60, 84] {
        let end = expected.position + 8_000
        let played = expected.play(key, velocity: 100, part: 1, program: program, at: expected.position, until: end)
        let isPlayed = actual.play(key, velocity: 100, part: 1, program: program, at: actual.position, until: end)
        #expect(played && isPlayed)
      }
      let (reference, sound) = (expected.render(16_384), actual.render(16_384))
      #expect(reference.peak > 0.001, "program \(program)")
      #expect(sound.firstDifference(from: reference) == nil, "program \(program)")
      expected.fallSilent()
      actual.fallSilent()
    }
  }

  @Test(.enabled(if: InstalledSoundFont.all.contains(.fluidR3), "FluidR3 is not installed"))
  func onlyLoadedProgramsTakeMemory() throws {
    let soundFont = try SoundFont(InstalledSoundFont.fluidR3.path, rate: 48_000)
    #expect(try residentPart(of: soundFont, .fluidR3) == 1)
    soundFont.samples.release(keeping: [0])
    let part = try residentPart(of: soundFont, .fluidR3)
    #expect(part > 0.02 && part < 0.2)
    soundFont.samples.load(48)
    #expect(try residentPart(of: soundFont, .fluidR3) > part)
  }

  /// Tables with random octets never trap. They are refused, or name samples within the sample data.
  @Test func damagedTablesAreHarmless() throws {
    let original = try Data(contentsOf: URL(fileURLWithPath: InstalledSoundFont.timGM6mb.path))
    let tables = try #require(original.range(of: Data("pdta".utf8))).lowerBound
    let folder = try TemporaryFolder()
    try original.write(to: folder.url.appendingPathComponent("damaged.sf2"))
    let descriptor = try openRegularFile(folder.path("damaged.sf2"), flags: O_RDWR, remedy: "")
    defer { close(descriptor) }
    var random = SplitMix(seed: 7)
    for number in 0..<300 {
      let places = (0...number % 40).map { _ in Int(random.next() % UInt64(original.count - tables)) + tables }
      for place in places {
        var octet = UInt8(truncatingIfNeeded: random.next())
        pwrite(descriptor, &octet, 1, off_t(place))
      }
      if let ranges = SampleRanges(descriptor) {
        #expect(ranges.programs.joined().allSatisfy { ranges.samples.indices.contains($0) })
        #expect(ranges.samples.allSatisfy { $0.upperBound <= ranges.block.count })
      }
      for place in places {
        var octet = original[place]
        pwrite(descriptor, &octet, 1, off_t(place))
      }
    }
  }
}
