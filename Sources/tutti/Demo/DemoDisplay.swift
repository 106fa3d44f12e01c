import Foundation
import MusicalTime
import Rhythm

/// The status lines of the demo while it plays: the progress, and one row for each line of the patch. A row whose layer includes the
/// present activity shows the strokes of the current bar. The row is marked with `*` if the line sounds in this bar: if it has a stroke,
/// and no later line with `!` silences it.
///
///     [###.................]  17 %  bar 2 of 8  activity 25  3 of 14 layers
///     * always         kick      X... .... X... ....
///     * to 27          stick     .... X... .... X...
///       to 27          open hat  .... .... .... ....
///       from 28        snare
struct DemoDisplay {
  private let patch: Patch
  /// The length of the rhythm in ticks.
  private let ticks: Int64

  init(_ patch: Patch, ticks: Int64) { (self.patch, self.ticks) = (patch, ticks) }

  /// The status lines for a terminal of this size. If the terminal has too few rows for all lines of the patch, only the lines of the
  /// layers that sound are shown, as many as fit. Before the rhythm begins, `position` is nil.
  func lines(at position: DemoPosition?, size: (columns: Int, rows: Int)) -> [String] {
    let capacity = max(1, size.rows - 1)
    var rows = patch.lines.indices.map { row(ofLine: $0, at: position) }
    if rows.count + 1 > capacity { rows = rows.filter(\.isActive) }
    // The last column stays empty: some terminals begin a new line when it is filled.
    let width = max(1, size.columns - 1)
    return ([progress(at: position)] + rows.map(\.text)).prefix(capacity).map { String($0.prefix(width)) }
  }

  /// The line that is printed where status lines cannot be shown: the bar, the activity and the layers that sound.
  func plainLine(at position: DemoPosition) -> String {
    let names = sounding(at: position.activity).map(\.name).joined(separator: ", ")
    return "bar \(bar(at: position)), \(summary(at: position)): \(names)"
  }

  /// The layers that sound at `activity`.
  func sounding(at activity: UInt8) -> [Layer] { patch.layers.filter { $0.activity.contains(activity) } }

  /// A progress bar of 20 characters, the played part of the rhythm in percent, the bar and the activity.
  private func progress(at position: DemoPosition?) -> String {
    let played = position.map { min(1, Double($0.tick + 1) / Double(ticks)) } ?? 0
    let done = Int(played * 20)
    let line =
      "[" + String(repeating: "#", count: done) + String(repeating: ".", count: 20 - done) + "]"
      + String(format: " %3.0f %%", played * 100)
    guard let position else { return line }
    let bars = (ticks + patch.meter.ticksPerBar - 1) / patch.meter.ticksPerBar
    return "\(line)  bar \(bar(at: position)) of \(bars)  \(summary(at: position))"
  }

  /// The activity and the number of layers that sound.
  private func summary(at position: DemoPosition) -> String {
    let count = sounding(at: position.activity).count
    return "activity \(position.activity)  \(count) of \(patch.layers.count) layers"
  }

  /// The bar, counted from 1.
  private func bar(at position: DemoPosition) -> Int64 { patch.meter.position(of: Tick(position.tick)).bar }

  /// The row for a line of the patch: its layer, its drum and, if it is active, its strokes in the current bar.
  private func row(ofLine index: Int, at position: DemoPosition?) -> (text: String, isActive: Bool) {
    let line = patch.lines[index]
    let layer = line.layer.map { patch.layers[$0].name } ?? "fill"
    let name = PatchGrid.name(of: line, in: patch)
    guard let position, isActive(line, at: position) else {
      return ("  \(padded(layer, to: layerWidth))  \(name)", false)
    }
    let bar = Int(self.bar(at: position) - 1)
    let hasStroke = line.bars[bar % line.bars.count].contains { $0 != nil }
    let isSilenced = patch.lines[(index + 1)...].contains {
      // A fill without chance 100% may not sound.
      $0.replaces && $0.voice == line.voice && ($0.layer != nil || patch.fill?.chance == 100)
        && isActive($0, at: position)
    }
    let mark = hasStroke && !isSilenced ? "*" : " "
    let strokes = PatchGrid.strokes(of: line, inBar: bar, of: patch)
    return ("\(mark) \(padded(layer, to: layerWidth))  \(padded(name, to: nameWidth))  \(strokes)", true)
  }

  /// Whether a line is part of the rhythm at this position. A line without a layer belongs to the fill, which can sound only in the last
  /// bar of each group of `Fill.period` bars.
  private func isActive(_ line: Line, at position: DemoPosition) -> Bool {
    guard line.activity.contains(position.activity) else { return false }
    guard line.layer == nil, let fill = patch.fill else { return true }
    return Int(bar(at: position) - 1) % fill.period == fill.period - 1
  }

  private var layerWidth: Int { (patch.layers.map(\.name.count) + ["fill".count]).max() ?? 0 }
  private var nameWidth: Int { patch.lines.map { PatchGrid.name(of: $0, in: patch).count }.max() ?? 0 }

  private func padded(_ text: String, to width: Int) -> String {
    text.padding(toLength: width, withPad: " ", startingAt: 0)
  }
}
