import Audio
import MusicalTime
import Playback
import Rhythm

/// The sound of a rendered file: a rhythm, an instrument with a simulated player, or a score.
protocol RenderSource {
  /// The end of the last bar.
  var end: Instant { get }
  /// The number of hits or notes so far.
  var count: Int64 { get }
  /// Passes the sounds that are due before `instant` to `renderer`.
  mutating func play(on renderer: inout Renderer, before instant: Instant)
}

/// A rendering to a WAV file, faster than real time.
struct FileRender {
  /// The time after the last bar, in which the last sounds fade.
  private static let fade: Nanoseconds = .seconds(2)

  /// The length of the recording in seconds.
  let seconds: Double
  /// The number of hits or notes.
  let count: Int64
  /// The number of hits or notes that did not sound, because too many sounded.
  let dropped: Int64
  /// The number of samples outside full scale.
  let clippedSamples: Int64

  /// Renders the file and reports the progress in percent. An existing file is replaced only when the new one is complete.
  ///
  /// - Throws: `AudioFileError` if the SoundFont cannot be used, ``CommandError`` if the file cannot be written.
  init(_ source: consuming some RenderSource, soundFont: String, path: String, progress: (Int) -> Void) throws {
    let source = source
    self = try OutputFile(path).write { partial in
      let module = try SoundModule(soundFont: soundFont, grid: .standard)
      do throws(AudioFileError) { return try FileRender(source, module, to: partial, progress) } catch {
        throw CommandError("\(path): cannot be written (\(error.reason)); make room on the disk")
      }
    }
  }

  /// Renders to the file at `path`, which is closed afterwards.
  private init(
    _ source: some RenderSource, _ module: consuming SoundModule, to path: String, _ progress: (Int) -> Void
  ) throws(AudioFileError) {
    let grid = FrameGrid.standard
    var source = source
    var file = try WAVFile(path: path, name: nil, grid: grid)
    var renderer = Renderer(grid: grid, module: module)
    let last = grid.frame(nearest: source.end + Self.fade)
    var (block, percent) = (StereoBlock(), -1)
    while block.frame < last {
      source.play(on: &renderer, before: grid.instant(of: block.frame + StereoBlock.length))
      renderer.render(&block)
      try file.append(block)
      block.frame += StereoBlock.length
      if Int(block.frame * 100 / last) != percent {
        percent = Int(block.frame * 100 / last)
        progress(percent)
      }
    }
    seconds = Double((source.end + Self.fade).nanoseconds) / 1e9
    (count, dropped, clippedSamples) = (source.count, renderer.counters.dropped, file.clippedSamples)
  }
}

/// The hits of a rhythm. They sound on the same frames as on a sound card without drift.
struct RhythmSource: RenderSource {
  private let table: StepTable
  /// The schedule. It determines the instant of each hit in the same way as on a peer.
  private let schedule: PlaybackSchedule
  /// The first step after the end.
  private let lastStep: Step
  /// The next step that is passed to the renderer.
  private var step = Step(0)
  /// The total activity; nil for ``ramp``.
  private let activity: UInt8?
  private let ramp: RenderRamp
  private(set) var count: Int64 = 0
  var end: Instant { schedule.deadline(Tick(of: lastStep)) }

  init(_ patch: Patch, tempo: Tempo, bars: Int64, activity: UInt8?) {
    table = StepTable(patch)
    lastStep = Step(bars * patch.meter.stepsPerBar)
    // `run` and `sends` have no effect on the instants of the hits.
    schedule = PlaybackSchedule(
      run: 1, sends: true, start: Tick(0), end: Tick(of: lastStep),
      tempo: TempoMap(Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0))))
    self.activity = activity
    ramp = RenderRamp(patch, end: lastStep)
  }

  mutating func play(on renderer: inout Renderer, before instant: Instant) {
    // A hit can sound up to `maximumPush` before its step. Therefore, each step is submitted early enough for its earliest hit.
    while step < lastStep, schedule.deadline(Tick(of: step)) <= instant + table.maximumPush {
      let tick = Tick(of: step)
      var cursor = table.cursor(at: step, activity: activity ?? ramp.activity(at: step))
      while let hit = table.next(&cursor) {
        // Nil: a grace note that would sound before the rhythm begins.
        if let event = SoundEvent(hit, velocity: hit.velocity, at: tick, of: schedule) { renderer.add(event) }
      }
      step = step + 1
    }
    count = renderer.counters.hits
  }
}

/// The total activity with `tutti patch render --ramp`. It changes where the layers of the rhythm can change: on each quarter note or, with
/// `change: bar`, at the beginning of each bar. It rises evenly from 0 in the first of these intervals to 127 in the last one. If there is
/// only one interval, the activity is 127.
struct RenderRamp {
  /// The number of steps after which the activity changes.
  private let interval: Int64
  /// The number of intervals. The last one may be incomplete.
  private let count: Int64

  /// - Parameter end: the first step after the end.
  init(_ patch: Patch, end: Step) {
    interval = patch.layerChange == .bar ? patch.meter.stepsPerBar : Step.perQuarter
    count = (end.index + interval - 1) / interval
  }

  func activity(at step: Step) -> UInt8 {
    count > 1 ? UInt8(127 * (step.index / interval) / (count - 1)) : 127
  }
}
