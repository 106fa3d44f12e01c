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
      var entry = TableLine(
        line, voice: voice.note, level: voice.level, feel: voice.feel, firstStroke: strokeCount)
      entry.group = voice.group.flatMap { groups.firstIndex(of: $0) }.map { UInt8($0 + 1) } ?? 0
      entry.isFill = line.layer == nil
      // How much earlier than its step a hit of the line can sound.
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
    drumLineCount = lineCount
    chords = ChordProgression(patch.chords, stepsPerBar: Int(barSteps))
    for part in patch.parts { add(part, of: patch, &strokeCount) }
  }

  /// Adds the lines of a pitched part. `strokeCount` is the number of used elements of ``strokes``.
  private mutating func add(_ part: PitchedPart, of patch: Patch, _ strokeCount: inout Int) {
    let code = Int(part.part.rawValue)
    programs[code] = part.program
    if let line = patch.chords {
      for (index, keys) in PartKeys.keys(of: part, for: line.changes.map(\.chord)).enumerated() {
        partKeys[(code - 1) * ChordProgression.maximumChords + index] = keys
      }
    }
    for line in part.lines {
      lines[lineCount] = TableLine(
        line, voice: TableLine.voice(of: part.part, line.voice), level: part.level, feel: part.feel,
        firstStroke: strokeCount)
      for step in line.bars.joined() {
        strokes[strokeCount] = step.code
        strokeCount += 1
      }
      lineCount += 1
    }
    maximumPush = max(maximumPush, .zero - part.feel)
  }
}
