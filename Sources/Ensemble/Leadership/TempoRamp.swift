import MusicalTime

/// A gradual change of the tempo: one change on each quarter note, linear in beats per minute.
struct TempoRamp: Sendable {
  /// The tempo before the first change.
  let start: Tempo
  /// The tempo from the last change on.
  let target: Tempo
  /// The number of changes, at least 1.
  let beats: Int64
  /// The tick of the first change, the beginning of a quarter note.
  let first: Tick

  /// The tempo from `tick` on.
  ///
  /// - Parameter tick: the beginning of a quarter note.
  func tempo(from tick: Tick) -> Tempo {
    let changes = (tick - first) / Tick.perQuarter + 1
    guard changes < beats else { return target }
    guard changes > 0 else { return start }
    let bpm = start.bpm + (target.bpm - start.bpm) * Double(changes) / Double(beats)
    // Between two tempos in range, every tempo is in range.
    return (try? Tempo(bpm: bpm)) ?? target
  }
}
