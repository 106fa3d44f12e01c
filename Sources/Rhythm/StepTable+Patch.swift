import MusicalTime

extension StepTable {
  /// Creates the table of `patch`.
  ///
  /// Real-time: not safe.
  public init(_ patch: Patch) {
    self.init()
    barSteps = UInt8(patch.meter.stepsPerBar)
    bars = UInt8(patch.bars)
    (swell, seed) = (UInt8(patch.swell), patch.seed)
    for (step, offset) in patch.swing.offsets.enumerated() { swing[step] = offset }
    if let fill = patch.fill { (fillPeriod, fillChance) = (UInt8(fill.period), UInt8(fill.chance)) }
    let groups = patch.groups
    var strokeCount = 0
    for line in patch.lines {
      let voice = patch.kit[line.voice]
      var entry = TableLine()
      entry.note = voice.note
      entry.group = voice.group.flatMap { groups.firstIndex(of: $0) }.map { UInt8($0 + 1) } ?? 0
      (entry.from, entry.to) = (line.activity.lowerBound, line.activity.upperBound)
      (entry.leastChance, entry.greatestChance) = (UInt8(line.leastChance), UInt8(line.greatestChance))
      (entry.replaces, entry.isFill) = (line.replaces, line.layer == nil)
      (entry.level, entry.feel) = (UInt8(voice.level), voice.feel)
      (entry.bars, entry.strokesPerBar) = (UInt8(line.bars.count), UInt8(line.bars[0].count))
      entry.ticksPerStroke = UInt8(Int(Tick.perQuarter) / line.strokesPerQuarter)
      entry.firstStroke = UInt16(strokeCount)
      var push = max(.zero, .zero - voice.feel)
      for stroke in line.bars.joined() {
        strokes[strokeCount] = stroke?.rawValue ?? 0
        strokeCount += 1
        if stroke?.isFlam == true { push = max(push, Self.graceTime - voice.feel) }
      }
      maximumPush = max(maximumPush, push)
      lines[lineCount] = entry
      lineCount += 1
    }
  }
}
