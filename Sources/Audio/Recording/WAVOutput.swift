import Dispatch
import Glibc
import Realtime
import Synchronization

/// A recording, written while it sounds: the audio thread puts periods into a ring five seconds long, and a thread of
/// normal priority brings them to the disk.
///
/// The file is 16-bit stereo WAV with a Broadcast Wave chunk whose time reference is the number of the first frame on
/// the grid, so recordings of several peers line up. What the ring cannot take is counted and becomes silence, so time
/// stays right.
public final class WAVOutput: @unchecked Sendable {
  /// The most recent trouble with the file: the recording has ended there. nil while all is well.
  public var failure: AudioFileError? { writer.sync { _failure } }
  /// Frames the recording could not take; they are silence in it, or lie after its end.
  ///
  /// Real-time: not safe.
  public var lostFrames: Int64 { Int64(ring.dropped) * 256 + unwritten.load(ordering: .relaxed) }
  /// Samples that lay outside full scale.
  public var clippedSamples: Int64 { clipped.load(ordering: .relaxed) }

  // Invariant: `file` and `_failure` are touched on the `writer` queue alone, which is also the ring's one consumer;
  // the audio thread is its one producer and alone stores `end`.
  private let ring = SPSCRing<StereoPeriod>(capacity: 1024)
  private let end = Atomic<Int64>(.min)
  private let clipped = Atomic<Int64>(0)
  private let unwritten = Atomic<Int64>(0)
  private let writer = DispatchQueue(label: "tutti.recording")
  private let timer: any DispatchSourceTimer
  private let path: String
  private var file: WAVFile?
  private var _failure: AudioFileError?

  /// Opens `path` for the recording of a peer called `name`; an older file of that name is overwritten.
  ///
  /// - Throws: ``AudioFileError`` when it cannot be written; nothing is left behind then.
  ///
  /// Real-time: not safe.
  public init(path: String, name: String, grid: FrameGrid = .standard) throws(AudioFileError) {
    file = try WAVFile(path: path, name: name, grid: grid)
    self.path = path
    timer = DispatchSource.makeTimerSource(queue: writer)
    timer.schedule(deadline: .now(), repeating: .milliseconds(50), leeway: .milliseconds(10))
    timer.setEventHandler { [weak self] in self?.drain() }
    timer.resume()
  }

  deinit { timer.cancel() }

  /// Lets the recording begin at `frame`, whether or not a period comes in time for it. To be called before the first
  /// ``write(_:)``.
  ///
  /// Real-time: not safe.
  package func begin(at frame: Int64) {
    writer.sync {
      do throws(AudioFileError) { try file?.pad(to: frame) } catch { _failure = error }
    }
  }

  /// Records `period`; counted as lost when five seconds already wait for the disk. The audio thread's side.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func write(_ period: StereoPeriod) {
    ring.push(period)
    end.store(period.frame &+ 256, ordering: .releasing)
  }

  /// Writes what waits and closes the file. To be called when the audio thread has ended.
  ///
  /// - Throws: ``AudioFileError`` when the recording is not complete on the disk.
  ///
  /// Real-time: not safe.
  public func finish() throws(AudioFileError) {
    timer.cancel()
    writer.sync {
      drain()
      let last = end.load(ordering: .acquiring)
      if last > .min && _failure == nil {
        do throws(AudioFileError) { try file?.pad(to: last) } catch { _failure = error }
      }
      file = nil
    }
    if let failure { throw failure }
  }

  /// Removes the file, because the start-up has failed.
  ///
  /// Real-time: not safe.
  public func abandon() {
    timer.cancel()
    writer.sync {
      guard file != nil else { return }
      file = nil
      unlink(path)
    }
  }

  /// Writes what waits. Once the file takes no more, the recording has ended and the rest is counted.
  private func drain() {
    while let period = ring.pop() {
      if _failure == nil {
        do throws(AudioFileError) { try file?.append(period) } catch { _failure = error }
      }
      if _failure != nil { unwritten.wrappingAdd(256, ordering: .relaxed) }
    }
    if let count = file?.clippedSamples { clipped.store(count, ordering: .relaxed) }
  }
}
