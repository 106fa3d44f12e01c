import Audio
import MIDI
import MusicalTime
import Rhythm

/// The rendering of an instrument to a WAV file, faster than real time. ``SimulatedGestures`` plays the instrument. Each note begins
/// on the first frame of a block of 64 frames.
struct InstrumentRender: ~Copyable {
  /// The time after the last bar, in which the last notes fade.
  private static let fade: Nanoseconds = .seconds(2)
  /// The default tempo in quarter notes per minute.
  static let standardTempo = 100.0
  /// The channel of the notes: channel 2. Channel 1 carries only activity, so ``ChannelSynthesizer`` plays no notes on it.
  private static let channel = Channel(wire: 1)

  private let grid = FrameGrid.standard
  private let timeline: Timeline
  private let gestures: SimulatedGestures
  private var player: InstrumentPlayer
  private var renderer: Renderer
  private var file: WAVFile
  /// The messages that are due and were not yet passed to the renderer.
  private var messages: [Message] = []
  /// The next tick at which the simulated player moves the controls and acts.
  private var next = Tick(0)

  /// The number of notes.
  private(set) var notes: Int64 = 0
  /// The length of the recording in seconds.
  var seconds: Double { Double((timeline.deadline(gestures.end) + Self.fade).nanoseconds) / 1e9 }
  /// The number of samples outside full scale.
  var clippedSamples: Int64 { file.clippedSamples }

  /// Creates the file.
  ///
  /// - Parameter level: the activity and the force of the player, 0...127; nil for a ramp from 0 to 127.
  /// - Throws: `AudioFileError` if the file or the SoundFont cannot be used.
  init(_ instrument: Instrument, tempo: Tempo, bars: Int64, level: UInt8?, soundFont: String, path: String) throws {
    let module = try SoundModule(soundFont: soundFont, grid: .standard)
    file = try WAVFile(path: path, name: nil, grid: .standard, remedy: "give --output a file in a writable folder")
    renderer = Renderer(grid: .standard, module: module)
    timeline = Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0))
    gestures = SimulatedGestures(level: level, end: Tick(bars * Meter.common.ticksPerBar))
    player = InstrumentPlayer(InstrumentTable(instrument), at: MusicalPosition(Tick(0)))
    // The rhythm begins at tick 0. The figure of the instrument sounds only while there is a rhythm.
    player.move(to: MusicalPosition(Tick(0)), rhythmFrom: Tick(0))
  }

  /// Renders the file and reports the progress in percent.
  mutating func run(progress: (Int) -> Void) throws {
    let last = grid.frame(nearest: timeline.deadline(gestures.end) + Self.fade)
    var block = StereoBlock()
    var percent = -1
    while block.frame < last {
      advance(to: grid.instant(of: block.frame + StereoBlock.length))
      // A block accepts a limited number of messages. The rest waits for the next block.
      var played = 0
      while played < messages.count, renderer.play(messages[played]) { played += 1 }
      messages.removeFirst(played)
      renderer.render(&block)
      try file.append(block)
      block.frame += StereoBlock.length
      if Int(block.frame * 100 / last) != percent {
        percent = Int(block.frame * 100 / last)
        progress(percent)
      }
    }
  }

  /// Lets the simulated player act at the ticks that are due before `instant`, and collects the messages of the instrument that are
  /// due before `instant`.
  private mutating func advance(to instant: Instant) {
    while next < gestures.end, timeline.deadline(next) < instant {
      collect(before: MusicalPosition(next))
      gestures.play(&player, at: next)
      next = next + 1
      // After the last tick, the figure ends.
      if next == gestures.end { end() }
    }
    collect(before: MusicalPosition(at: instant, on: timeline))
  }

  /// Ends the rhythm at ``next``.
  private mutating func end() {
    collect(before: MusicalPosition(next))
    player.move(to: MusicalPosition(next), rhythmFrom: nil)
  }

  /// Moves the messages of the instrument before `horizon` to ``messages``, and counts the notes.
  private mutating func collect(before horizon: MusicalPosition) {
    while let event = player.next(before: horizon) {
      if case .noteOn = event.kind { notes += 1 }
      messages.append(event.message(on: Self.channel))
    }
  }
}
