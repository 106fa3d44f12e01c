import MIDI
import MusicalTime
import Rhythm

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
