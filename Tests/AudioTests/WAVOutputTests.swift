import Audio
import CSndfile
import Foundation
import Testing
import _TestSupport

/// Tests of writing recordings.
@Suite struct WAVOutputTests {
  /// A block whose samples are exact in 16 bits, depend on the frame number and are never 0, unlike silence.
  private func block(at frame: Int64) -> StereoBlock {
    var block = StereoBlock()
    block.frame = frame
    for index in 0..<64 {
      let value = Float((Int(frame) + index) % 30_000 + 1) / 32_768
      block.left[index] = value
      block.right[index] = value
    }
    return block
  }

  /// The samples of `frames` in the blocks of ``block(at:)``.
  private func expected(_ frames: Range<Int64>) -> [Float] {
    frames.map { Float(Int($0) % 30_000 + 1) / 32_768 }
  }

  @Test func framesAndFirstFrameNumberAreReadBackExactly() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "Amélie", grid: .standard)
    // A frame number of more than 32 bits. At 48 kHz, the frame number exceeds 32 bits 25 hours after the start of the machine.
    let first: Int64 = 5_000_000_000 * 256
    for index in 0..<Int64(160) { output.write(block(at: first + 64 * index)) }
    try output.finish()
    let recording = try SoundFile(path: path)
    #expect(recording.rate == 48_000 && recording.firstFrame == first)
    #expect(recording.samples == expected(first..<first + 160 * 64))
    #expect(output.lostFrames == 0 && output.clippedSamples == 0 && output.failure == nil)
  }

  @Test func broadcastChunkContainsNameDateAndFirstFrame() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: String(repeating: "é", count: 119), grid: .standard)
    output.write(block(at: 48_000 * 256 * 100))
    try output.finish()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The broadcast chunk (EBU Tech 3285): "bext", four bytes with its size, and then the fields Description at 0 (256
    // bytes), Originator at 256 (32 bytes), OriginationDate and OriginationTime at 320 (10 and 8 bytes), and
    // TimeReference at 338 (8 bytes, little-endian).
    let chunk = try #require(bytes.range(of: Data("bext".utf8))).upperBound + 4
    // The description is cut off after 256 bytes: 238 bytes of the name and the first 18 bytes of the text after it.
    let description = String(repeating: "é", count: 119) + "; first frame at 2"
    #expect(String(decoding: bytes[chunk..<chunk + 256], as: UTF8.self) == description)
    #expect(bytes[chunk + 256..<chunk + 288] == Data("Tutti".utf8) + Data(count: 27))
    let when = String(decoding: bytes[chunk + 320..<chunk + 338], as: UTF8.self)
    #expect(when.wholeMatch(of: /\d{4}-\d\d-\d\d\d\d:\d\d:\d\d/) != nil)
    let reference = bytes[chunk + 338..<chunk + 346].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(reference == 48_000 * 256 * 100)
  }

  /// A file has at most 640 frames here. The frames of all files together are those that were recorded, and an existing file is kept.
  @Test func recordingContinuesInAnotherFileAtTheLargestSize() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("take.wav")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path("take-2.wav")))
    let output = try WAVOutput(path: path, name: "a", grid: .standard, maximumFrames: 640)
    for index in 0..<Int64(25) { output.write(block(at: 64 * index)) }
    try output.finish()
    #expect(output.paths == [path, folder.path("take-3.wav"), folder.path("take-4.wav")])
    var samples: [Float] = []
    for part in output.paths {
      let recording = try SoundFile(path: part)
      #expect(recording.firstFrame == Int64(samples.count))
      samples += recording.samples
    }
    #expect(samples == expected(0..<1600) && output.failure == nil && output.lostFrames == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("take-2.wav"))) == Data("mine".utf8))
  }

  @Test func missingFramesAreSilence() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    // Blocks 0, 1, 10 and 200.
    for frame in [0, 64, 640, 12_800] as [Int64] { output.write(block(at: frame)) }
    try output.finish()
    let samples = try SoundFile(path: path).samples
    #expect(samples.count == 12_864)
    #expect(Array(samples[0..<128]) == expected(0..<128) && samples[128..<640].allSatisfy { $0 == 0 })
    #expect(Array(samples[640..<704]) == expected(640..<704))
    #expect(samples[704..<12_800].allSatisfy { $0 == 0 } && Array(samples[12_800...]) == expected(12_800..<12_864))
  }

  @Test func framesBeyondTheRingAreSilentAndCounted() throws {
    // Blocks are written far faster than they sound. The number of lost blocks depends on the disk, but each loss is
    // counted and the other frames keep their position.
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    for index in 0..<Int64(32_000) { output.write(block(at: 64 * index)) }
    try output.finish()
    let samples = try SoundFile(path: path).samples
    #expect(samples.count == 32_000 * 64)
    var lost = 0
    for index in 0..<32_000 {
      let part = Array(samples[index * 64..<(index + 1) * 64])
      if part[0] == 0 {
        #expect(part.allSatisfy { $0 == 0 })
        lost += 64
      } else {
        #expect(part == expected(Int64(index) * 64..<Int64(index + 1) * 64))
      }
    }
    #expect(output.lostFrames == Int64(lost))
  }

  @Test func samplesAreRoundedAndClippedSamplesAreCounted() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    var block = StereoBlock()
    // Each sample, and its level in 16 bits.
    let cases: [(Float, Float)] = [
      (0.4 / 32_768, 0), (0.6 / 32_768, 1), (-0.6 / 32_768, -1), (32_767 / 32_768, 32_767), (-1, -32_768),
      (1, 32_767), (7, 32_767), (-1.5, -32_768), (.nan, 0), (.infinity, 32_767),
    ]
    for (index, (sample, _)) in cases.enumerated() {
      block.left[index] = sample
      block.right[index] = sample
    }
    output.write(block)
    try output.finish()
    let samples = try SoundFile(path: path).samples
    for (index, (_, level)) in cases.enumerated() { #expect(samples[index] == level / 32_768, "\(index)") }
    #expect(samples[cases.count...].allSatisfy { $0 == 0 })
    // 1, 7, -1.5, NaN and infinity, on both channels.
    #expect(output.clippedSamples == 10)
  }

  @Test func growingRecordingIsReadable() throws {
    // A killed process does not close its file, so the header on the disk must be at most one second old.
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    var file = try WAVFile(path: path, name: "a", grid: .standard)
    for index in 0..<Int64(2_000) { try file.append(block(at: 64 * index)) }
    let recording = try SoundFile(path: path)
    let frames = Int64(recording.samples.count)
    // 2000 blocks have 128 000 frames. A second and a block have 48 064 frames.
    #expect(frames > 128_000 - 48_064 && frames <= 128_000 && recording.firstFrame == 0)
    #expect(recording.samples == expected(0..<frames))
    // The file already has 128 000 frames, so this call writes nothing. It only keeps the file open until after the file was read.
    try file.pad(to: 128_000)
  }

  @Test func unwritablePathIsReportedWithReasonAndRemedy() throws {
    let folder = try TemporaryFolder()
    let remedy = "use --audio wav:FILE with a file in a writable folder"
    for (path, reason) in [
      (folder.path("none/a.wav"), "No such file or directory"), (folder.url.path, "Is a directory"),
      ("/dev/null", "not a regular file"), ("", "No such file or directory"),
      ("/proc/a.wav", "No such file or directory"), ("a\0b", "the name contains a zero byte"),
      (folder.path(String(repeating: "a", count: 300)), "File name too long"),
    ] {
      do throws(AudioFileError) {
        _ = try WAVOutput(path: path, name: "a")
        Issue.record("\(path) was accepted")
      } catch {
        #expect(error.kind == .unavailable && error.description == "\(path): \(reason); \(remedy)")
      }
    }
    #expect(folder.contents.isEmpty && FileManager.default.fileExists(atPath: "/dev/null"))
  }

  @Test func abandonedRecordingLeavesNoFile() throws {
    let folder = try TemporaryFolder()
    let output = try WAVOutput(path: folder.path("a.wav"), name: "a")
    output.write(block(at: 0))
    #expect(folder.contents == ["a.wav"])
    output.abandon()
    #expect(folder.contents.isEmpty)
    // A finished recording cannot be abandoned.
    let finished = try WAVOutput(path: folder.path("b.wav"), name: "b")
    try finished.finish()
    finished.abandon()
    #expect(folder.contents == ["b.wav"])
  }

  @Test func emptyRecordingIsAValidFile() throws {
    let folder = try TemporaryFolder()
    let output = try WAVOutput(path: folder.path("a.wav"), name: "a")
    try output.finish()
    // The second call has no effect.
    try output.finish()
    #expect(try SoundFile(path: folder.path("a.wav")).samples.isEmpty)
  }

  @Test func gapBeyondTheSizeLimitOfWAVBeginsAnotherFile() throws {
    // A gap of eight hours, as if the process had been stopped. Eight hours of 16-bit stereo have 5.5 GB. The silence of the gap is not
    // written to the disk.
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    let later: Int64 = 8 * 3_600 * 48_000
    for frame in [0, later, later + 64] { output.write(block(at: frame)) }
    try output.finish()
    #expect(output.paths == [path, folder.path("a-2.wav")] && output.lostFrames == 0)
    #expect(try SoundFile(path: path).samples == expected(0..<64))
    let next = try SoundFile(path: folder.path("a-2.wav"))
    #expect(next.firstFrame == later && next.samples == expected(later..<later + 128))
  }
}
