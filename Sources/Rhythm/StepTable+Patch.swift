extension StepTable {
  /// The table of `patch`.
  ///
  /// Real-time: not safe.
  public init(_ patch: Patch) {
    self.init(patch.hitsByStep, stepsPerBar: Int(patch.meter.stepsPerBar))
  }
}

extension Patch {
  /// What the pattern strikes, step by step, whatever the activity.
  ///
  /// Layers may strike one voice on the same step; then the louder is heard alone, since two notes at once from one
  /// drum would only be louder than either. Which is the louder depends on the activity. So for each voice and step
  /// the greatest velocity is written down for all 128 activities, and each run of equal velocities becomes a hit: at
  /// any activity at most one of them sounds, and playing needs no comparison.
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

  /// The runs of activities at which some layer strikes `voice` at `step`, each with the greatest velocity there.
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
