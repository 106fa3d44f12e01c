import CSndfile
import Glibc

/// A recording read from a WAV file.
///
/// Real-time: not safe.
public struct SoundFile: Sendable {
  /// The samples, -1...1 at full scale: one track that is the mean of the channels, or one track per channel.
  public let tracks: [[Float]]
  /// The samples of the first track.
  public var samples: [Float] { tracks[0] }
  /// Whether the file is shorter than its header states. Then it contains only a part of the recording.
  public let isTruncated: Bool
  /// Frames per second.
  public let rate: Int
  /// The number of the first frame, in samples since the origin of the clock: the Broadcast Wave time reference, as
  /// ``WAVFile`` writes it. Nil if the file has no time reference.
  public let firstFrame: Int64?

  /// The maximum length of a recording in frames: two hours at 48 kHz.
  public static let maximumFrames = 2 * 3_600 * 48_000

  /// Reads `path` in WAV or any other format that libsndfile supports, with any sample type and up to 64 channels. Samples
  /// that are not finite become silence.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - mixes: whether the channels are mixed into one track.
  /// - Throws: ``AudioFileError`` if the file is missing, is not a recording or is too long.
  ///
  /// Real-time: not safe.
  public init(path: String, mixes: Bool = true) throws(AudioFileError) {
    let descriptor = try openRegularFile(
      path, flags: O_RDONLY, remedy: "give the path of a WAV file that this user may read")
    let isShorterThanStated = RIFFHeader(descriptor).map { !$0.isComplete } ?? false
    var format = SF_INFO()
    // The handle owns the descriptor. If the open fails, libsndfile closes the descriptor in any case.
    guard let handle = sf_open_fd(descriptor, Int32(SFM_READ), &format, Int32(SF_TRUE)) else {
      throw Self.malformed(path, sndfileError(nil), "give a WAV file")
    }
    defer { sf_close(handle) }
    guard (1_000...768_000).contains(format.samplerate) else {
      throw Self.malformed(path, "its sample rate is \(format.samplerate) Hz", "record it at 1000 to 768000 Hz")
    }
    guard (1...64).contains(format.channels) else {
      throw Self.malformed(path, "it has \(format.channels) channels", "record it with at most 64 channels")
    }

    tracks = try Self.read(
      handle, channels: Int(format.channels), mixes: mixes, expected: format.frames, path: path)
    // From a truncated FLAC file, libsndfile reads fewer frames than the header states. In other formats, the stated number of frames
    // is not exact and is not compared.
    let isFLAC = format.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_FLAC)
    isTruncated = isShorterThanStated || isFLAC && Int64(tracks[0].count) < format.frames
    rate = Int(format.samplerate)
    var information = SF_BROADCAST_INFO()
    let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
    let found = sf_command(handle, Int32(SFC_GET_BROADCAST_INFO), &information, size) == SF_TRUE
    firstFrame = found ? Int64(exactly: information.timeReference) : nil
  }

  /// Reads all frames up to the end of the data. Returns the mean of the channels, or each channel.
  ///
  /// - Parameter expected: the number of frames that the header states. It only serves to reject files that are too long and to
  ///   reserve memory.
  private static func read(
    _ handle: OpaquePointer, channels: Int, mixes: Bool, expected: Int64, path: String
  ) throws(AudioFileError) -> [[Float]] {
    let tooLong = malformed(
      path, "it has more than \(maximumFrames) frames (two hours at 48 kHz)", "give a shorter recording")
    guard expected <= Int64(maximumFrames) else { throw tooLong }
    let chunk = 4_096
    var interleaved = [Float](repeating: 0, count: chunk * channels)
    var tracks = [[Float]](repeating: [], count: mixes ? 1 : channels)
    for track in tracks.indices { tracks[track].reserveCapacity(Int(max(0, expected))) }
    while true {
      let count = Int(sf_readf_float(handle, &interleaved, Int64(chunk)))
      guard count > 0 else { return tracks }
      guard tracks[0].count + count <= maximumFrames else { throw tooLong }
      for frame in 0..<count {
        let samples = interleaved[frame * channels..<(frame + 1) * channels]
        guard mixes else {
          for (channel, sample) in samples.enumerated() { tracks[channel].append(sample.isFinite ? sample : 0) }
          continue
        }
        let sum = samples.reduce(0, +)
        tracks[0].append(sum.isFinite ? sum / Float(channels) : 0)
      }
    }
  }

  /// Returns the error for a file that is not a usable recording.
  private static func malformed(_ path: String, _ reason: String, _ remedy: String) -> AudioFileError {
    AudioFileError(.malformed, path: path, reason: "not a readable recording: \(reason)", remedy: remedy)
  }
}
