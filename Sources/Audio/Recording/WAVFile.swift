import CSndfile
import Glibc

/// A WAV file of 16-bit stereo frames that grows while it is written. If the file has a Broadcast Wave chunk, this chunk states
/// the number of the first frame on the grid. Missing frames are written as silence. The header is updated once per second, so
/// that the file remains readable if the process is killed.
///
/// Real-time: not safe.
package struct WAVFile: ~Copyable {
  /// The number of samples outside full scale.
  package private(set) var clippedSamples: Int64 = 0

  private let path: String
  /// The name of the peer in the Broadcast Wave chunk; nil for a file without this chunk.
  private let name: String?
  private let grid: FrameGrid
  // Invariant: open from init to deinit. The handle owns the descriptor of the file. If the open fails, libsndfile closes
  // the descriptor in any case.
  private let handle: OpaquePointer
  /// The numbers of the first frame and of the next frame to write; nil before the first frame.
  private var frames: (first: Int64, next: Int64)?
  /// The number of the first frame; nil before it.
  package var firstFrame: Int64? { frames?.first }
  /// The first frame of the last write that updated the header; the first frame of the file before the first update.
  private var lastHeaderUpdate: Int64 = 0
  /// The buffer for one block, left and right samples alternating.
  private var samples = [Int16](repeating: 0, count: 2 * Int(StereoBlock.length))

  /// The default remedy for a file that cannot be written.
  package static let standardRemedy = "use --audio wav:FILE with a file in a writable folder"
  /// The maximum number of frames, over six hours at 48 kHz: the limit of the 32-bit lengths in a WAV file, minus 65 536
  /// bytes for the header, at 4 bytes per frame.
  package static let maximumFrames = (Int64(UInt32.max) - 65_536) / 4

  /// Creates or truncates the file for a recording of the peer `name`. Without a name, the file has no Broadcast Wave chunk. The
  /// chunk contains the date. Therefore two files with the same frames are certain to be identical only without the chunk.
  ///
  /// - Throws: ``AudioFileError`` if the file cannot be opened, or if libsndfile rejects it. A rejected file is removed.
  package init(
    path: String, name: String?, grid: FrameGrid, remedy: String = WAVFile.standardRemedy
  ) throws(AudioFileError) {
    let descriptor = try openRegularFile(path, flags: O_RDWR | O_CREAT | O_TRUNC, remedy: remedy)
    var format = SF_INFO()
    format.samplerate = Int32(grid.rate)
    format.channels = 2
    format.format = Int32(SF_FORMAT_WAV) | Int32(SF_FORMAT_PCM_16)
    guard let handle = sf_open_fd(descriptor, Int32(SFM_WRITE), &format, Int32(SF_TRUE)) else {
      unlink(path)
      throw AudioFileError(.unavailable, path: path, reason: sndfileError(nil), remedy: remedy)
    }
    (self.path, self.name, self.grid, self.handle) = (path, name, grid, handle)
  }

  deinit { sf_close(handle) }

  /// Writes `block`, after silence for the missing frames before it. Samples are rounded to the nearest of 65536 levels.
  ///
  /// - Throws: ``AudioFileError`` if the file cannot be extended.
  package mutating func append(_ block: borrowing StereoBlock) throws(AudioFileError) {
    try pad(to: block.frame)
    for frame in 0..<Int(StereoBlock.length) {
      samples[2 * frame] = quantize(block.left[frame])
      samples[2 * frame + 1] = quantize(block.right[frame])
    }
    try write(StereoBlock.length)
  }

  /// Writes silence up to `frame`. In an empty file, `frame` becomes the first frame.
  package mutating func pad(to frame: Int64) throws(AudioFileError) {
    guard let frames else { return begin(at: frame) }
    guard frame > frames.next else { return }
    try checkSize(to: frame)
    for index in samples.indices { samples[index] = 0 }
    var missing = frame - frames.next
    while missing > 0 {
      try write(min(missing, StereoBlock.length))
      missing -= StereoBlock.length
    }
  }

  /// Makes `frame` the first frame of the file and writes it into the Broadcast Wave chunk.
  private mutating func begin(at frame: Int64) {
    if let name {
      var information = SF_BROADCAST_INFO(name: name, firstFrame: frame, grid: grid)
      sf_command(handle, Int32(SFC_SET_BROADCAST_INFO), &information, Int32(MemoryLayout<SF_BROADCAST_INFO>.size))
    }
    frames = (frame, frame)
    lastHeaderUpdate = frame
  }

  /// Writes the first `count` frames of ``samples`` and updates the header if a second has passed since the last update.
  private mutating func write(_ count: Int64) throws(AudioFileError) {
    guard let frames else { return }
    try checkSize(to: frames.next + count)
    errno = 0
    guard sf_writef_short(handle, samples, count) == count else {
      let reason = errno != 0 ? String(cString: strerror(errno)) : sndfileError(handle)
      // The header states the frames that were written, so that the file is valid up to here. This needs no room on the disk.
      sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
      throw failure(reason, "delete files to make room, or record to another disk")
    }
    self.frames?.next = frames.next + count
    guard frames.next - lastHeaderUpdate >= grid.rate else { return }
    lastHeaderUpdate = frames.next
    sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
  }

  /// Throws an error if a file that ends at `frame` is too long.
  private func checkSize(to frame: Int64) throws(AudioFileError) {
    guard let frames, frame - frames.first > Self.maximumFrames else { return }
    throw failure("a WAV file is limited to 4 GB", "record in shorter takes")
  }

  /// Returns the level nearest to `sample`. Clips and counts a sample outside full scale. NaN becomes 0 and is counted, too.
  private mutating func quantize(_ sample: Float) -> Int16 {
    let level = (sample * 32_768).rounded()
    guard level >= -32_768 && level <= 32_767 else {
      clippedSamples += 1
      return level > 0 ? .max : level < 0 ? .min : 0
    }
    return Int16(level)
  }

  /// Returns the error for a recording that cannot continue.
  private func failure(_ reason: String, _ remedy: String) -> AudioFileError {
    AudioFileError(.unavailable, path: path, reason: "the recording has stopped: \(reason)", remedy: remedy)
  }
}
