import Audio
import CSndfile
import Foundation
import Testing
import _TestSupport

/// Tests of reading recordings, including damaged and hostile files.
@Suite struct SoundFileTests {
  /// Writes a file with libsndfile. `format` is the sample format, 32-bit float by default. `type` is the file type, WAV by default.
  private func write(
    _ path: String, _ samples: [Float], channels: Int32, rate: Int32 = 44_100, format: Int32 = Int32(SF_FORMAT_FLOAT),
    type: Int32 = Int32(SF_FORMAT_WAV)
  ) {
    var information = SF_INFO()
    information.channels = channels
    information.samplerate = rate
    information.format = type | format
    let handle = sf_open(path, Int32(SFM_WRITE), &information)!
    sf_writef_float(handle, samples, Int64(samples.count) / Int64(channels))
    sf_close(handle)
  }

  /// Writes a recording of twelve blocks as a peer does.
  private func writeRecording(_ path: String) throws {
    var file = try WAVFile(path: path, name: "a", grid: .standard)
    var block = StereoBlock()
    for index in 0..<64 { block.left[index] = Float(index) / 64 }
    for number in 0..<Int64(12) {
      block.frame = 64 * number
      try file.append(block)
    }
  }

  @Test func channelsAreMixedToTheirMean() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    write(path, [0.5, 0.25, 0, 1, -1, 1, .nan, 0], channels: 2)
    let recording = try SoundFile(path: path)
    // The mean of a frame with a sample that is not a number is read as 0.
    #expect(recording.samples == [0.375, 0.5, 0, 0] && recording.rate == 44_100 && recording.firstFrame == nil)
    write(path, [0.5, 0.25, 0], channels: 1)
    #expect(try SoundFile(path: path).samples == [0.5, 0.25, 0])
  }

  @Test func channelsAreReadAsTracks() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    write(path, [0.5, 0.25, 0, 1, -1, .nan], channels: 2)
    #expect(try SoundFile(path: path, mixes: false).tracks == [[0.5, 0, -1], [0.25, 1, 0]])
  }

  /// The remaining part of a truncated file is read, and the truncation is reported.
  @Test(arguments: [Int32(SF_FORMAT_PCM_16), Int32(SF_FORMAT_PCM_24), Int32(SF_FORMAT_FLOAT)])
  func fileThatWasCutIsReported(format: Int32) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    write(path, [Float](repeating: 0.5, count: 10_000), channels: 1, format: format)
    #expect(try !SoundFile(path: path).isTruncated)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
    let file = try SoundFile(path: path)
    // Half of the file contains about half of the 10 000 frames.
    #expect(file.isTruncated && (4_000..<5_100).contains(file.samples.count))
    #expect(file.samples.allSatisfy { abs($0 - 0.5) < 1e-4 })
  }

  @Test func cutFLACFileIsReported() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.flac")
    // The samples resemble noise, so all parts of the file are compressed about equally. Half of the file therefore contains about half
    // of the 50 000 frames.
    let samples = (0..<50_000).map { sin(Float($0 * $0 % 977)) / 2 }
    write(path, samples, channels: 1, format: Int32(SF_FORMAT_PCM_16), type: Int32(SF_FORMAT_FLAC))
    let whole = try SoundFile(path: path)
    #expect(!whole.isTruncated && whole.samples.count == 50_000)
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: path))
    let file = try SoundFile(path: path)
    #expect(file.isTruncated && (10_000..<40_000).contains(file.samples.count))
  }

  @Test func invalidFileIsReportedWithReasonAndRemedy() throws {
    let folder = try TemporaryFolder()
    let path = "give the path of a WAV file that this user may read"
    let text = folder.path("a.txt")
    try "no recording".write(toFile: text, atomically: true, encoding: .utf8)
    let wide = folder.path("wide.wav")
    write(wide, [Float](repeating: 0, count: 65), channels: 65)
    let slow = folder.path("slow.wav")
    write(slow, [0], channels: 1, rate: 999)
    for (path, kind, message) in [
      (folder.path("none.wav"), AudioFileError.Kind.unavailable, "No such file or directory; \(path)"),
      (folder.url.path, .unavailable, "not a regular file; \(path)"),
      ("/dev/zero", .unavailable, "not a regular file; \(path)"),
      (text, .malformed, "not a readable recording: Format not recognised; give a WAV file"),
      (wide, .malformed, "not a readable recording: it has 65 channels; record it with at most 64 channels"),
      (slow, .malformed, "not a readable recording: its sample rate is 999 Hz; record it at 1000 to 768000 Hz"),
    ] {
      do throws(AudioFileError) {
        _ = try SoundFile(path: path)
        Issue.record("\(path) was read")
      } catch {
        #expect(error.kind == kind && error.description == "\(path): \(message)")
      }
    }
  }

  @Test func recordingOfMoreThanTwoHoursIsRejected() throws {
    // A sparse file: the header specifies 8 bits at 8 kHz, and the frames exceed the limit without using disk space.
    let folder = try TemporaryFolder()
    let path = folder.path("long.wav")
    write(path, [0], channels: 1, rate: 8_000, format: Int32(SF_FORMAT_PCM_U8))
    // A sample has one byte, so the size in the header of the data chunk is the number of samples. The size in the RIFF header is 36
    // bytes larger. All headers together have 44 bytes.
    let size = UInt64(SoundFile.maximumFrames + 10_000)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let data = try #require(bytes.range(of: Data("data".utf8))).upperBound
    withUnsafeBytes(of: UInt32(size).littleEndian) { bytes.replaceSubrange(data..<data + 4, with: $0) }
    withUnsafeBytes(of: UInt32(size + 36).littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
    try bytes.write(to: URL(fileURLWithPath: path))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: size + 44)
    try handle.close()
    do throws(AudioFileError) {
      _ = try SoundFile(path: path)
      Issue.record("the recording of more than two hours was read")
    } catch {
      let reason = "not a readable recording: it has more than 345600000 frames (two hours at 48 kHz)"
      #expect(error.description == "\(path): \(reason); give a shorter recording")
    }
  }

  @Test(arguments: UInt64(1)...300) func corruptFilesAreReadOrRejected(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    try writeRecording(path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    var random = SplitMix(seed: seed)
    // One file in four is truncated. In all files, up to eight bytes are replaced.
    if random.integer(in: 0...3) == 0 { bytes = bytes.prefix(Int(random.integer(in: 0...Int64(bytes.count)))) }
    for _ in 0..<random.integer(in: 1...8) where !bytes.isEmpty {
      // Mostly in the first 700 bytes, which contain the header.
      let end = random.integer(in: 0...4) == 0 ? bytes.count : min(bytes.count, 700)
      bytes[Int(random.integer(in: 0...Int64(end) - 1))] = UInt8(random.integer(in: 0...255))
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    do throws(AudioFileError) {
      let recording = try SoundFile(path: path)
      #expect(recording.samples.count <= bytes.count && recording.samples.allSatisfy { $0.isFinite }, "seed \(seed)")
    } catch {
      #expect(error.path == path && !error.reason.isEmpty, "seed \(seed)")
    }
  }
}
