import CSndfile
import Glibc

/// A growing WAV file of 16-bit stereo frames whose first frame has a number on the grid and whose timeline has no
/// hole: frames that never came are silence. The header is brought up to date once a second, so that the file of a
/// killed process can be read. Normal priority; real-time: not safe.
package struct WAVFile: ~Copyable {
  /// Samples that lay outside full scale.
  private(set) var clippedSamples: Int64 = 0

  private let path: String
  private let name: String
  private let grid: FrameGrid
  // Invariant: open from init to deinit. It owns the file's descriptor: libsndfile closes that when it cannot open it,
  // asked to or not.
  private let handle: OpaquePointer
  /// The numbers of the first frame and of the next to be written, once something has been.
  private var frames: (first: Int64, next: Int64)?
  private var lastHeader: Int64 = 0
  private var samples = [Int16](repeating: 0, count: 2 * 256)

  private static let remedy = "give --audio wav:FILE a file in a folder that can be written"
  /// What the 32-bit lengths of a WAV file allow, less room for the header: over six hours at 48 kHz.
  private static let maximumFrames = (Int64(UInt32.max) - 65_536) / 4

  /// Makes the file, or empties it, for the recording of a peer called `name`.
  ///
  /// - Throws: ``AudioFileError``; a file this call has made is gone then.
  package init(path: String, name: String, grid: FrameGrid) throws(AudioFileError) {
    let descriptor = try openRegularFile(path, flags: O_RDWR | O_CREAT | O_TRUNC, remedy: Self.remedy)
    var format = SF_INFO()
    format.samplerate = Int32(grid.rate)
    format.channels = 2
    format.format = Int32(SF_FORMAT_WAV) | Int32(SF_FORMAT_PCM_16)
    guard let handle = sf_open_fd(descriptor, Int32(SFM_WRITE), &format, Int32(SF_TRUE)) else {
      unlink(path)
      throw AudioFileError(.unavailable, path: path, reason: soundFileFault(nil), remedy: Self.remedy)
    }
    (self.path, self.name, self.grid, self.handle) = (path, name, grid, handle)
  }

  deinit { sf_close(handle) }

  /// Writes `period` where it belongs; silence before it if frames are missing. Rounds to the nearest of 65536 levels.
  ///
  /// - Throws: ``AudioFileError`` when the file takes no more.
  package mutating func append(_ period: borrowing StereoPeriod) throws(AudioFileError) {
    try pad(to: period.frame)
    for frame in 0..<256 {
      samples[2 * frame] = quantize(period.left[frame])
      samples[2 * frame + 1] = quantize(period.right[frame])
    }
    try write(256)
  }

  /// Writes silence up to `frame`, which becomes the first frame if there has been none.
  package mutating func pad(to frame: Int64) throws(AudioFileError) {
    guard let frames else { return begin(at: frame) }
    guard frame > frames.next else { return }
    try checkRoom(to: frame)
    for index in samples.indices { samples[index] = 0 }
    var rest = frame - frames.next
    while rest > 0 {
      try write(min(rest, 256))
      rest -= 256
    }
  }

  private mutating func begin(at frame: Int64) {
    var information = SF_BROADCAST_INFO(name: name, firstFrame: frame, grid: grid)
    sf_command(handle, Int32(SFC_SET_BROADCAST_INFO), &information, Int32(MemoryLayout<SF_BROADCAST_INFO>.size))
    frames = (frame, frame)
    lastHeader = frame
  }

  private mutating func write(_ count: Int64) throws(AudioFileError) {
    guard let frames else { return }
    try checkRoom(to: frames.next + count)
    errno = 0
    guard sf_writef_short(handle, samples, count) == count else {
      let reason = errno != 0 ? String(cString: strerror(errno)) : soundFileFault(handle)
      throw failure(reason, "make room on the disk or record elsewhere")
    }
    self.frames?.next = frames.next + count
    guard frames.next - lastHeader >= grid.rate else { return }
    lastHeader = frames.next
    sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
  }

  private func checkRoom(to frame: Int64) throws(AudioFileError) {
    guard let frames, frame - frames.first > Self.maximumFrames else { return }
    throw failure("a WAV file holds no more than 4 GB", "record in shorter takes")
  }

  private mutating func quantize(_ sample: Float) -> Int16 {
    let level = (sample * 32_768).rounded()
    guard level >= -32_768 && level <= 32_767 else {
      clippedSamples += 1
      return level > 0 ? .max : level < 0 ? .min : 0
    }
    return Int16(level)
  }

  private func failure(_ reason: String, _ remedy: String) -> AudioFileError {
    AudioFileError(.unavailable, path: path, reason: "recording ended: \(reason)", remedy: remedy)
  }
}
