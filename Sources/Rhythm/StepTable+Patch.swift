extension StepTable {
  /// Creates the table of `patch`.
  ///
  /// Real-time: not safe.
  public init(_ patch: Patch) {
    self.init(patch.hitsByStep, stepsPerBar: Int(patch.meter.stepsPerBar))
  }
}

extension Patch {
  /// The hits of the pattern for each step, for all activities.
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
        return loudest(of: voice, at: step).map { run in
          Hit(note: kit[voice].note, velocity: run.velocity, group: group, from: run.from, to: run.to)
        }
      }
    }
  }

  /// The ranges of activities in which a layer has a stroke of `voice` at `step`, each with the greatest velocity.
  private func loudest(of voice: Int, at step: Int) -> [(from: UInt8, to: UInt8, velocity: UInt8)] {
    var velocities = [UInt8](repeating: 0, count: 128)
    for layer in layers {
      for track in layer.tracks where track.voice == voice {
        guard let stroke = track.strokes[step] else { continue }
        for activity in layer.activity {
          velocities[Int(activity)] = max(velocities[Int(activity)], stroke.velocity)
        }
      }
    }
    var runs: [(from: UInt8, to: UInt8, velocity: UInt8)] = []
    for activity in UInt8(0)...127 {
      let velocity = velocities[Int(activity)]
      if let last = runs.last, last.to + 1 == activity, last.velocity == velocity {
        runs[runs.count - 1].to = activity
      } else if velocity > 0 {
        runs.append((activity, activity, velocity))
      }
    }
    return runs
  }
}
