import Foundation
import MusicalTime
import Rhythm

/// A test vector for the JavaScript port of `StepTable`: the table of a rhythm, and digests of its hits.
struct TableVector: Encodable {
  /// The digest of all hits at one total activity.
  struct Digest: Encodable {
    var activity: Int
    /// Whether a player wants the fill in all bars.
    var playsFill: Bool
    /// The number of hits in all steps.
    var count: Int
    /// The hash FNV-1a (32 bits) of the numbers in all hits. Each number has four octets, the lowest one first.
    var digest: UInt32
  }

  /// The steps whose hits are compared: 64 negative steps, and several repetitions of most patterns.
  static let steps: Range<Int64> = -64..<640

  var name: String
  var firstStep: Int64
  var lastStep: Int64
  var table: StepTableDescription
  var digests: [Digest]

  init(_ name: String, _ patch: Patch) {
    self.name = name
    (firstStep, lastStep) = (Self.steps.lowerBound, Self.steps.upperBound - 1)
    let table = StepTable(patch)
    self.table = StepTableDescription(table)
    let activities = [0, 13, 40, 64, 90, 113, 127].map { ($0, false) } + [(20, true), (100, true)]
    digests = activities.map { activity, playsFill in
      // The offset basis of FNV-1a, and the FNV prime in `add`.
      var (count, hash) = (0, UInt32(2_166_136_261))
      func add(_ number: Int64) {
        for shift in stride(from: UInt32(0), through: 24, by: 8) {
          hash = (hash ^ (UInt32(truncatingIfNeeded: number) >> shift & 0xFF)) &* 16_777_619
        }
      }
      for step in Self.steps {
        var cursor = table.cursor(at: Step(step), activity: UInt8(activity), playsFill: playsFill)
        while let hit = table.next(&cursor) {
          count += 1
          for number in [
            step, Int64(hit.part.number), Int64(hit.program), Int64(hit.note), Int64(hit.velocity), Int64(hit.group),
            Int64(hit.position), Int64(hit.end), hit.delay.count, hit.isGrace ? 1 : 0,
          ] { add(number) }
        }
      }
      return Digest(activity: activity, playsFill: playsFill, count: count, digest: hash)
    }
  }

  /// The test vectors of all rhythms in `Patches/rhythms` of the source tree.
  static func all() throws -> [TableVector] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Patches/rhythms")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
      .map { file in
        let text = try String(contentsOf: file, encoding: .utf8)
        let name = file.deletingPathExtension().lastPathComponent
        return TableVector(name, try PatchLoader.patch(from: text, file: file.path))
      }
  }
}
