import Audio
import Foundation
import MusicalTime
import Rhythm
import _TestSupport

/// The recording of a rhythm in which every hit begins at the frame nearest to its deadline.
enum IdealRecording {
  /// Writes the recording of `ticks`, each at its deadline on `timeline`, to `path`.
  ///
  /// - Parameters:
  ///   - patch: the name of a rhythm in `Patches/rhythms`.
  ///   - activity: the total activity at all ticks.
  ///   - firstFrame: the number of the first frame.
  ///   - blocks: the length of the recording in blocks of 64 frames.
  /// - Returns: the number of hits that come too late for their frame, because they are due before `firstFrame`.
  static func write(
    to path: String, patch: String, activity: UInt8, ticks: Range<Int64>, on timeline: Timeline, from firstFrame: Int64,
    blocks: Int
  ) throws -> Int64 {
    let text = try String(contentsOfFile: "\(Program.patches)/rhythms/\(patch).yaml", encoding: .utf8)
    let table = StepTable(try PatchLoader.patch(from: text, file: patch))
    var renderer = Renderer(grid: .standard, module: try SoundModule(soundFont: InstalledSoundFont.timGM6mb.path))
    var file = try WAVFile(path: path, name: "peer 1", grid: .standard)
    var block = StereoBlock()
    block.frame = firstFrame
    var next = ticks.lowerBound
    for _ in 0..<blocks {
      // The hits are added up to one second before they are due, because the renderer can hold the hits of one second.
      let end = FrameGrid.standard.instant(of: block.frame + 64) + .seconds(1)
      while next < ticks.upperBound, timeline.deadline(Tick(next)) < end {
        if let step = Tick(next).beginsStep {
          var cursor = table.cursor(at: step, activity: activity)
          while let hit = table.next(&cursor) {
            let instant = timeline.deadline(Tick(next))
            renderer.add(SoundEvent(instant: instant, note: hit.note, velocity: hit.velocity, group: hit.group))
          }
        }
        next += 1
      }
      renderer.render(&block)
      try file.append(block)
      block.frame += 64
    }
    return renderer.counters.late
  }
}
