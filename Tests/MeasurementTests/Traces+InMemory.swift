import MusicalTime

@testable import Measurement

extension PathAnalysis {
  /// Analyses `trace`, which was read from the file at `path`.
  init(_ trace: Trace, file path: String) {
    self.init(file: path, header: trace.header, onRow: nil)
    // Ticks and hits are merged in the order of time, because `StepMatching` expects a hit near its tick.
    var hits = trace.hits[...]
    for tick in trace.ticks {
      while let hit = hits.first, hit.step < tick.due {
        hits.removeFirst()
        add(.hit(hit))
      }
      add(.tick(tick))
    }
    for hit in hits { add(.hit(hit)) }
    finish(isCutOff: trace.isCutOff)
  }
}

extension PlayerTrace {
  /// Takes the needed parts of `trace`, whose actions are those of the local player.
  init(_ trace: Trace) {
    self.init(header: trace.header, name: trace.header.name, ticks: DueTicks(trace.ticks), actions: trace.actions)
  }
}
