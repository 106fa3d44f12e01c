import Dispatch
import Glibc
import Realtime
import Synchronization

/// A recording, written during playback: the audio thread pushes blocks into a ring of five seconds, and a queue of normal
/// priority writes them to the disk.
///
/// The file is 16-bit stereo WAV with a Broadcast Wave chunk whose time reference is the number of the first frame.
/// ``FrameGrid`` numbers the frames of all peers on one machine from the same instant, so their recordings line up. Blocks that do
/// not fit into the ring are counted and become silence, so all other frames keep their position.
public final class WAVOutput: @unchecked Sendable {
  /// The error that stopped the recording; nil without an error.
  ///
  /// Real-time: not safe.
  public var failure: AudioFileError? { state.withLock { $0.failure } }
  /// The files of the recording, at least one. When a file has reached its largest size, the recording continues in another one.
  ///
  /// Real-time: not safe.
  public var paths: [String] { state.withLock { $0.paths } }
  /// The number of frames that were not written: the frames of blocks that did not fit into the ring, which silence replaces, and the
  /// frames after an error.
  ///
  /// Real-time: not safe.
  public var lostFrames: Int64 { Int64(ring.dropped) * StereoBlock.length + unwritten.load(ordering: .relaxed) }
  /// The number of frames from the first frame to the last one, in all files together.
  ///
  /// Real-time: not safe.
  public var frameCount: Int64 {
    let (first, end) = (firstFrame.load(ordering: .relaxed), endFrame.load(ordering: .acquiring))
    return first > .min && end > first ? end - first : 0
  }
  /// The number of samples outside full scale.
  ///
  /// Real-time: not safe.
  public var clippedSamples: Int64 { clipped.load(ordering: .relaxed) }

  // Invariant: `file` is used only on the `writer` queue, which is also the only consumer of the ring. The
  // audio thread is the only producer, and only this thread stores `endFrame`.
  //
  // 4096 blocks of 64 frames are over five seconds at 48 kHz.
  private let ring = SPSCRing<StereoBlock>(capacity: 4096)
  /// The frame after the last block of the audio thread, whether or not the block fitted into the ring; `.min` before the
  /// first block.
  private let endFrame = Atomic<Int64>(.min)
  /// The frame at which the recording begins; `.min` before ``begin(at:)``.
  private let firstFrame = Atomic<Int64>(.min)
  private let clipped = Atomic<Int64>(0)
  /// The number of samples outside full scale in the files that are closed. Used on the `writer` queue only.
  private var closedClipped: Int64 = 0
  /// The number of frames that were taken from the ring but not written, because an error had stopped the recording.
  private let unwritten = Atomic<Int64>(0)
  private let writer = DispatchQueue(label: "tutti.recording")
  private let timer: any DispatchSourceTimer
  private let name: String
  private let grid: FrameGrid
  /// The largest number of frames of a file.
  private let maximumFrames: Int64
  private var file: WAVFile?
  private let state: Mutex<State>

  private struct State {
    var failure: AudioFileError?
    var paths: [String]
  }

  /// Opens `path` for the recording of the peer `name`. An existing file is overwritten.
  ///
  /// - Throws: ``AudioFileError`` if the file cannot be written. The initializer then leaves no new file.
  ///
  /// Real-time: not safe.
  public convenience init(path: String, name: String, grid: FrameGrid = .standard) throws(AudioFileError) {
    try self.init(path: path, name: name, grid: grid, maximumFrames: WAVFile.maximumFrames)
  }

  /// - Parameter maximumFrames: the largest number of frames of a file.
  package init(path: String, name: String, grid: FrameGrid, maximumFrames: Int64) throws(AudioFileError) {
    file = try WAVFile(path: path, name: name, grid: grid)
    (self.name, self.grid, self.maximumFrames) = (name, grid, maximumFrames)
    state = Mutex(State(paths: [path]))
    timer = DispatchSource.makeTimerSource(queue: writer)
    timer.schedule(deadline: .now(), repeating: .milliseconds(50), leeway: .milliseconds(10))
    timer.setEventHandler { [weak self] in self?.writePendingBlocks() }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Sets the first frame of the recording. The recording begins there even if the first blocks are lost. Call this function before
  /// the first ``write(_:)``.
  ///
  /// Real-time: not safe.
  package func begin(at frame: Int64) {
    firstFrame.store(frame, ordering: .relaxed)
    writer.sync {
      do throws(AudioFileError) { try file?.pad(to: frame) } catch { fail(error) }
    }
  }

  private func fail(_ error: AudioFileError) { state.withLock { $0.failure = $0.failure ?? error } }

  /// Records `block`. If the ring is full, because five seconds of sound wait for the disk, the block is counted as lost. Only the
  /// audio thread may call this function.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func write(_ block: StereoBlock) {
    ring.push(block)
    endFrame.store(block.frame &+ StereoBlock.length, ordering: .releasing)
  }

  /// Writes the waiting blocks and closes the file. Call this function after the audio thread has ended.
  ///
  /// - Throws: ``AudioFileError`` if frames at the end are missing on the disk. Silence in place of lost blocks is no error.
  ///
  /// Real-time: not safe.
  public func finish() throws(AudioFileError) {
    timer.cancel()
    writer.sync {
      writePendingBlocks()
      let end = endFrame.load(ordering: .acquiring)
      // The last blocks may not have fitted into the ring. Silence replaces them.
      if end > .min && failure == nil {
        do throws(AudioFileError) { try file?.pad(to: end) } catch { fail(error) }
      }
      file = nil
    }
    if let failure { throw failure }
  }

  /// Closes and removes the file after a failed start. A finished recording is kept.
  ///
  /// Real-time: not safe.
  public func abandon() {
    timer.cancel()
    writer.sync {
      guard file != nil else { return }
      file = nil
      for path in paths { unlink(path) }
    }
  }

  /// Writes the blocks in the ring to the file. After the first error, the recording has stopped, and further frames are
  /// only counted. Runs on the `writer` queue.
  private func writePendingBlocks() {
    var hasFailed = failure != nil
    while let block = ring.pop() {
      if !hasFailed {
        do throws(AudioFileError) {
          if let first = file?.firstFrame, block.frame + StereoBlock.length - first > maximumFrames {
            try continueInAnotherFile()
          }
          try file?.append(block)
        } catch {
          hasFailed = true
          fail(error)
        }
      }
      if hasFailed { unwritten.wrappingAdd(StereoBlock.length, ordering: .relaxed) }
    }
    if let count = file?.clippedSamples { clipped.store(closedClipped + count, ordering: .relaxed) }
  }

  /// Closes the file and opens the next one: `take-2.wav` after `take.wav`. An existing file is kept, and the next number is used.
  private func continueInAnotherFile() throws(AudioFileError) {
    let path = paths[0]
    let stem = path.hasSuffix(".wav") ? String(path.dropLast(4)) : path
    var number = paths.count + 1
    while access("\(stem)-\(number).wav", F_OK) == 0 { number += 1 }
    let next = "\(stem)-\(number).wav"
    closedClipped += file?.clippedSamples ?? 0
    file = try WAVFile(path: next, name: name, grid: grid)
    state.withLock { $0.paths.append(next) }
  }
}
