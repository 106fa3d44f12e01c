import CSndfile
import Glibc

/// A recording read from a WAV file, all channels mixed into one.
public struct SoundFile: Sendable {
  /// The mean of the channels, frame by frame, -1...1 at full scale.
  public let samples: [Float]
  /// Frames a second.
  public let rate: Int
  /// The number of the first frame in samples since the clock's origin (Broadcast Wave time reference), nil where the
  /// file does not say.
  public let firstFrame: Int64?

  /// The longest recording that is read: two hours at 48 kHz.
  public static let maximumFrames = 2 * 3_600 * 48_000

  private static let remedy = "give a WAV file with a recording of at most two hours"

  /// Reads `path`: WAV or any other format of libsndfile, of any sample type, up to 64 channels. Samples that are not
  /// numbers are read as silence.
  ///
  /// - Throws: ``AudioFileError`` for a file that is missing, is no recording or is too long.
  ///
  /// Real-time: not safe.
  public init(path: String) throws(AudioFileError) {
    let descriptor = try openRegularFile(path, flags: O_RDONLY, remedy: Self.remedy)
    var format = SF_INFO()
    // The handle owns the descriptor: libsndfile closes it when it cannot open it, asked to or not.
    guard let handle = sf_open_fd(descriptor, Int32(SFM_READ), &format, Int32(SF_TRUE)) else {
      throw Self.malformed(path, soundFileFault(nil))
    }
    defer { sf_close(handle) }
    guard (1_000...768_000).contains(format.samplerate) else {
      throw Self.malformed(path, "a sample rate of \(format.samplerate) Hz")
    }
    guard (1...64).contains(format.channels) else { throw Self.malformed(path, "\(format.channels) channels") }

    samples = try Self.mix(handle, channels: Int(format.channels), expected: format.frames, path: path)
    rate = Int(format.samplerate)
    var information = SF_BROADCAST_INFO()
    let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
    let found = sf_command(handle, Int32(SFC_GET_BROADCAST_INFO), &information, size) == SF_TRUE
    firstFrame = found ? Int64(exactly: information.timeReference) : nil
  }

  /// Reads to the end of the data, whatever the header says of their length.
  private static func mix(
    _ handle: OpaquePointer, channels: Int, expected: Int64, path: String
  ) throws(AudioFileError) -> [Float] {
    guard expected <= Int64(maximumFrames) else { throw malformed(path, "longer than two hours at 48 kHz") }
    let chunk = 4_096
    var interleaved = [Float](repeating: 0, count: chunk * channels)
    var samples: [Float] = []
    while true {
      let count = Int(sf_readf_float(handle, &interleaved, Int64(chunk)))
      guard count > 0 else { return samples }
      guard samples.count + count <= maximumFrames else { throw malformed(path, "longer than two hours at 48 kHz") }
      for frame in 0..<count {
        var sum: Float = 0
        for channel in 0..<channels { sum += interleaved[frame * channels + channel] }
        samples.append(sum.isFinite ? sum / Float(channels) : 0)
      }
    }
  }

  private static func malformed(_ path: String, _ reason: String) -> AudioFileError {
    AudioFileError(.malformed, path: path, reason: "not a recording that can be read: \(reason)", remedy: remedy)
  }
}
