import MusicalTime

extension DueTicks {
  /// Creates the median timeline of several traces, by the clock of the first trace.
  ///
  /// The runs and ticks are those of the first trace. ``RunMatching`` assigns the runs of the other traces to them. The due
  /// instant of a tick is the median of its due instants in all traces that contain the tick. The median of an even number of
  /// instants is the mean of the two middle ones.
  ///
  /// - Parameters:
  ///   - traces: the due instants of each trace, at least one.
  ///   - clockOffsets: the clock of each trace minus a common clock.
  init(medianOf traces: [DueTicks], clockOffsets: [Nanoseconds]) {
    self.init()
    reserve(traces[0].count)
    let offsets = clockOffsets.map { $0 - clockOffsets[0] }
    // One dictionary for each trace except the first: from the number of a run of the first trace to the number of the assigned run.
    let partners = traces.indices.dropFirst().map { index in
      Dictionary(
        uniqueKeysWithValues: RunMatching(traces[0], traces[index], clockOffset: offsets[index]).pairs)
    }
    for (number, run) in traces[0].runs.enumerated() {
      // For each other trace: the run that is assigned to `run`, and the index of the next tick of the assigned run; nil if no run is
      // assigned.
      var positions = partners.enumerated().map { index, partner in
        partner[number].map {
          (trace: index + 1, run: traces[index + 1].runs[$0], next: traces[index + 1].runs[$0].range.lowerBound)
        }
      }
      var instants: [Int64] = []
      for index in run.range {
        let tick = traces[0].tick(index, in: run)
        instants.removeAll(keepingCapacity: true)
        instants.append(traces[0].due[index])
        for position in positions.indices {
          guard let (trace, other, first) = positions[position] else { continue }
          var next = first
          while next < other.range.upperBound, traces[trace].tick(next, in: other) < tick { next += 1 }
          positions[position] = (trace, other, next)
          if next < other.range.upperBound, traces[trace].tick(next, in: other) == tick {
            instants.append(traces[trace].due[next] &- offsets[trace].count)
          }
        }
        append(tick: tick, due: Self.median(&instants), beginsRun: index == run.range.lowerBound)
      }
    }
  }

  private static func median(_ values: inout [Int64]) -> Int64 {
    values.sort()
    let (low, high) = (values[(values.count - 1) / 2], values[values.count / 2])
    return low + (high &- low) / 2
  }
}
