import Audio
import MusicalTime
import Playback
import Rhythm

/// The rendering of a patch to a WAV file, faster than real time. The hits sound on the same frames as on a sound card without
/// drift.
struct PatchRender: ~Copyable {
  /// The time after the last bar, in which the last hits fade.
  private static let fade: Nanoseconds = .seconds(2)

  private let grid = FrameGrid.standard
  private let table: StepTable
  /// The schedule. It determines the instant of each hit in the same way as on a peer.
  private let schedule: PlaybackSchedule
  /// The first step after the end.
  private let end: Step
  /// The total activity; nil for ``ramp``.
  private let activity: UInt8?
  private let ramp: RenderRamp
  private var renderer: Renderer
  private var file: WAVFile

  /// The length of the recording in seconds.
  var seconds: Double { Double((schedule.deadline(Tick(of: end)) + Self.fade).nanoseconds) / 1e9 }
  /// The number of hits.
  var hits: Int64 { renderer.counters.hits }
  /// The number of samples outside full scale.
  var clippedSamples: Int64 { file.clippedSamples }

  /// Creates the file.
  ///
  /// - Throws: `AudioFileError` if the file or the SoundFont cannot be used.
  init(_ patch: Patch, tempo: Tempo, bars: Int64, activity: UInt8?, soundFont: String, path: String) throws {
    let module = try SoundModule(soundFont: soundFont, grid: .standard)
    file = try WAVFile(path: path, name: nil, grid: .standard, remedy: "give --output a file in a writable folder")
    renderer = Renderer(grid: .standard, module: module)
    table = StepTable(patch)
    end = Step(bars * patch.meter.stepsPerBar)
    // `run` and `sends` have no effect on the instants of the hits.
    schedule = PlaybackSchedule(
      run: 1, sends: true, start: Tick(0), end: Tick(of: end),
      tempo: TempoMap(Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0))))
    self.activity = activity
    ramp = RenderRamp(patch, end: end)
  }

  /// Renders the file and reports the progress in percent.
  mutating func run(progress: (Int) -> Void) throws {
    let last = grid.frame(nearest: schedule.deadline(Tick(of: end)) + Self.fade)
    var block = StereoBlock()
    var step = Step(0)
    var percent = -1
    while block.frame < last {
      // A hit can sound up to `maximumPush` before its step. Therefore, each step is submitted early enough for its earliest hit.
      let horizon = grid.instant(of: block.frame + StereoBlock.length) + table.maximumPush
      while step < end, schedule.deadline(Tick(of: step)) <= horizon {
        submit(step)
        step = step + 1
      }
      renderer.render(&block)
      try file.append(block)
      block.frame += StereoBlock.length
      if Int(block.frame * 100 / last) != percent {
        percent = Int(block.frame * 100 / last)
        progress(percent)
      }
    }
  }

  /// Adds the hits of a step to the renderer.
  private mutating func submit(_ step: Step) {
    let tick = Tick(of: step)
    var cursor = table.cursor(at: step, activity: activity ?? ramp.activity(at: step))
    while let hit = table.next(&cursor) {
      // Nil: a grace note that would sound before the rhythm begins.
      if let event = SoundEvent(hit, velocity: hit.velocity, at: tick, of: schedule) { renderer.add(event) }
    }
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
