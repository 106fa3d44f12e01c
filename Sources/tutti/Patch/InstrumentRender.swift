import Audio
import MIDI
import MusicalTime
import Rhythm

/// The notes of an instrument that ``SimulatedGestures`` play. Each note begins on the first frame of a block of 64 frames.
struct InstrumentSource: RenderSource {
  /// The default tempo in quarter notes per minute.
  static let standardTempo = 100.0
  /// The channel of the notes: channel 2. Channel 1 carries only activity, so ``ChannelSynthesizer`` plays no notes on it.
  private static let channel = Channel(wire: 1)

  private let timeline: Timeline
  private let gestures: SimulatedGestures
  private var player: InstrumentPlayer
  /// The messages that are due and were not yet passed to the renderer.
  private var messages: [Message] = []
  /// The next tick at which the simulated player moves the controls and acts.
  private var next = Tick(0)
  /// The number of notes.
  private(set) var count: Int64 = 0
  var end: Instant { timeline.deadline(gestures.end) }

  /// - Parameter level: the activity and the force of the player, 0...127; nil for a ramp from 0 to 127.
  init(_ instrument: Instrument, tempo: Tempo, bars: Int64, level: UInt8?) {
    timeline = Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0))
    gestures = SimulatedGestures(level: level, end: Tick(bars * Meter.common.ticksPerBar))
    player = InstrumentPlayer(InstrumentTable(instrument), at: MusicalPosition(Tick(0)))
    // The rhythm begins at tick 0. The figure of the instrument sounds only while there is a rhythm.
    player.move(to: MusicalPosition(Tick(0)), rhythmFrom: Tick(0))
  }

  mutating func play(on renderer: inout Renderer, before instant: Instant) {
    advance(to: instant)
    // A block accepts a limited number of messages. The rest waits for the next block.
    var played = 0
    while played < messages.count, renderer.play(messages[played]) { played += 1 }
    messages.removeFirst(played)
  }

  /// Lets the simulated player act at the ticks that are due before `instant`, and collects the messages of the instrument that are
  /// due before `instant`.
  private mutating func advance(to instant: Instant) {
    while next < gestures.end, timeline.deadline(next) < instant {
      collect(before: MusicalPosition(next))
      gestures.play(&player, at: next)
      next = next + 1
      if next == gestures.end {
        // After the last tick, the rhythm and the figure end.
        collect(before: MusicalPosition(next))
        player.move(to: MusicalPosition(next), rhythmFrom: nil)
      }
    }
    collect(before: MusicalPosition(at: instant, on: timeline))
  }

  /// Moves the messages of the instrument before `horizon` to ``messages``, and counts the notes.
  private mutating func collect(before horizon: MusicalPosition) {
    while let event = player.next(before: horizon) {
      if case .noteOn = event.kind { count += 1 }
      messages.append(event.message(on: Self.channel))
    }
  }
}

/// The movements of a simulated player, for the rendering of an instrument.
///
/// The player tilts the device forward and back once in four bars of 4/4, and sideways and back once in six bars. Activity and force
/// equal the level. The player acts on quarter notes at a low level, on eighth notes at a middle level, and on sixteenth notes at a
/// high level. Of four successive actions, two are slightly late and one is early, so that the quantization is audible.
struct SimulatedGestures {
  /// The level, 0...127; nil for a ramp from 0 to 127.
  let level: UInt8?
  /// The first tick after the end.
  let end: Tick

  /// Moves the controls at `tick`, and performs an action if one is due.
  func play(_ player: inout InstrumentPlayer, at tick: Tick) {
    let level = level(at: tick)
    // A bar of 4/4 has 96 ticks: the periods are four and six bars.
    // Controller 1 is `tilt forward`, and controller 74 is `tilt sideways`.
    let forward = Self.triangle(tick, period: 384)
    player.controls.set(controller: 1, to: UInt7(clamping: forward))
    player.controls.set(controller: 74, to: UInt7(clamping: Self.triangle(tick, period: 576)))
    // Expression (controller 11) sets the force between the actions. `player.controls` does not distinguish channels, so the activity,
    // which is controller 11 on channel 1, is set separately.
    player.controls.set(controller: 11, to: UInt7(clamping: level))
    player.controls.set(activity: UInt8(level))
    let distance: Int64 = level < 40 ? 24 : level < 90 ? 12 : 6
    // The lateness of four successive actions in ticks; -1 is one tick early. `line` is the tick of the grid to which an action at
    // `tick` with this lateness belongs.
    for (index, lateness) in [Int64(0), 2, -1, 1].enumerated() {
      let line = tick.index - lateness
      if line >= 0, line % (4 * distance) == Int64(index) * distance {
        // The pitch of an instrument can follow the key, which rises from 36 to 96 with the tilt forward.
        player.act(force: UInt8(max(1, level)), key: UInt8(36 + forward * 60 / 127), at: MusicalPosition(tick))
      }
    }
  }

  /// The level, which rises on each quarter note and reaches 127 on the last one.
  private func level(at tick: Tick) -> Int {
    if let level { return Int(level) }
    let (beat, count) = (tick.index / Tick.perQuarter, end.index / Tick.perQuarter)
    return count > 1 ? Int(min(127, 127 * beat / (count - 1))) : 127
  }

  /// The value of a control that moves from 0 to 127 and back within `period` ticks.
  private static func triangle(_ tick: Tick, period: Int64) -> Int {
    let place = tick.index % period
    return Int(254 * min(place, period - place) / period)
  }
}
