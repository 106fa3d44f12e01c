extension StepTable {
  /// Creates the table of `patch`.
  ///
  /// Real-time: not safe.
  public init(_ patch: Patch) {
    self.init(patch.hitsByStep, stepsPerBar: Int(patch.meter.stepsPerBar))
  }
}

extension Patch {
  /// The hits of the pattern, one array for each step, for all total activities.
  ///
  /// Layers can have strokes of one voice on the same step. In this case only the louder stroke sounds, because two
  /// simultaneous notes of one drum would be louder than either. Which stroke is louder depends on the activity.
  /// Therefore the greatest velocity is determined for each voice, step and activity (0...127), and each range of
  /// activities with the same velocity becomes a hit. At any activity, at most one of these hits sounds, and playback
  /// needs no comparison.
  var hitsByStep: [[Hit]] {
    let groups = groups
    return (0..<stepCount).map { step in
      kit.indices.flatMap { voice in
        let group = kit[voice].group.flatMap { groups.firstIndex(of: $0) }.map { UInt8($0 + 1) } ?? 0
        return loudestStrokes(of: voice, at: step).map { range in
          Hit(note: kit[voice].note, velocity: range.velocity, group: group, from: range.from, to: range.to)
        }
      }
    }
  }

  /// The ranges of activities in which a layer has a stroke of `voice` at `step`, each with the greatest velocity.
  private func loudestStrokes(of voice: Int, at step: Int) -> [(from: UInt8, to: UInt8, velocity: UInt8)] {
    // The greatest velocity at each activity. Empty before the first stroke: most voices are silent at most steps.
    var velocities: [UInt8] = []
    for layer in layers {
      for track in layer.tracks where track.voice == voice {
        guard let stroke = track.strokes[step] else { continue }
        if velocities.isEmpty { velocities = [UInt8](repeating: 0, count: 128) }
        for activity in Int(layer.activity.lowerBound)..<Int(layer.activity.upperBound) + 1
        where velocities[activity] < stroke.velocity {
          velocities[activity] = stroke.velocity
        }
      }
    }
    var ranges: [(from: UInt8, to: UInt8, velocity: UInt8)] = []
    var begin = 0
    for end in velocities.indices where end == 127 || velocities[end + 1] != velocities[end] {
      if velocities[end] > 0 { ranges.append((UInt8(begin), UInt8(end), velocities[end])) }
      begin = end + 1
    }
    return ranges
  }
}
