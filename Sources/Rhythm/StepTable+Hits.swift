public import MusicalTime

extension StepTable {
  /// Returns a cursor for the hits of `step`, counted from the first downbeat. `activity` is the total activity of all players, 0...127.
  /// A larger value counts as 127, so that an excessive value does not silence the rhythm. `step` may be negative: the pattern repeats
  /// in both directions.
  ///
  /// - Parameter playsFill: whether the fill sounds in the bar of this step because a player wants it, whatever the activity is.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func cursor(at step: Step, activity: UInt8, playsFill: Bool = false) -> HitCursor {
    let length = Int64(barSteps)
    var (bar, place) = step.index.quotientAndRemainder(dividingBy: length)
    if place < 0 { (bar, place) = (bar - 1, place + length) }
    return HitCursor(bar: bar, tick: Int(place) * 6, activity: activity < 127 ? activity : 127, playsFill: playsFill)
  }

  /// Returns the next hit of the cursor's step; nil after the last one. The hits are in no particular order.
  ///
  /// If several lines have a stroke of one voice at the same tick, only the loudest sounds, because two simultaneous notes
  /// of one drum would be louder than either. The line `chord` of a pitched part gives one hit for each note of the chord.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func next(_ cursor: inout HitCursor) -> Hit? {
    if let hit = cursor.main {
      cursor.main = nil
      return hit
    }
    guard cursor.line < lineCount else { return nil }
    // In a non-mutating method, each access to an element of an InlineArray copies the whole array. The table is therefore copied
    // once, and a mutating method of the copy is called.
    var table = self
    return table.nextHit(&cursor)
  }

  /// Returns the first hit at or after the line and the tick of the cursor, and moves the cursor past this hit.
  @_noLocks @_noAllocation
  private mutating func nextHit(_ cursor: inout HitCursor) -> Hit? {
    while cursor.line < lineCount {
      // A step has six ticks.
      while cursor.offset < 6 {
        if cursor.line >= drumLineCount {
          if let hit = nextNote(&cursor) { return hit }
          continue
        }
        let (line, offset) = (cursor.line, cursor.offset)
        cursor.offset += 1
        let tick = cursor.tick + offset
        guard let stroke = stroke(of: line, tick, cursor) else { continue }
        let velocity = velocity(of: stroke, line, cursor.activity)
        if isMasked(line, velocity: velocity, tick, cursor) { continue }
        return hit(line, stroke, velocity: velocity, offset: offset, &cursor)
      }
      (cursor.line, cursor.offset) = (cursor.line + 1, 0)
    }
    return nil
  }

  /// The hit of a stroke. For a flam, the result is the grace note, and the main note becomes the next hit of the cursor.
  @_noLocks @_noAllocation
  private mutating func hit(_ line: Int, _ stroke: Stroke, velocity: UInt8, offset: Int, _ cursor: inout HitCursor)
    -> Hit
  {
    let entry = lines[line]
    // Triplets do not swing. The swing of a step depends on its place in the quarter note.
    let shift = entry.ticksPerStroke == 6 ? swing[(cursor.tick / 6) & 3] : 0
    let position = Int32(offset) * 1000 + shift
    let main = Hit(
      note: entry.voice, velocity: velocity, group: entry.group, position: position, delay: entry.feel,
      isGrace: false)
    guard stroke.isFlam else { return main }
    cursor.main = main
    // The grace note has three fifths of the velocity of the main note, but at least 1.
    return Hit(
      note: entry.voice, velocity: velocity > 1 ? UInt8(Int(velocity) * 3 / 5) : 1, group: entry.group,
      position: position, delay: entry.feel - Self.graceTime, isGrace: true)
  }

  /// The stroke of a line at `tick` of the cursor's bar; nil if there is no stroke, or if it does not sound. A stroke sounds if three
  /// conditions hold: the line sounds at the cursor's activity, no later line replaces the line, and the decision by chance is positive.
  @_noLocks @_noAllocation
  mutating func stroke(of line: Int, _ tick: Int, _ cursor: HitCursor) -> Stroke? {
    let entry = lines[line]
    guard sounds(entry, cursor) else { return nil }
    let distance = Int(entry.ticksPerStroke)
    guard tick % distance == 0 else { return nil }
    let index = Int(entry.firstStroke) + place(of: tick, bar: cursor.bar, entry)
    guard let stroke = Stroke(code: strokes[index]) else { return nil }
    var later = line + 1
    while later < lineCount {
      if lines[later].replaces, lines[later].voice == entry.voice, sounds(lines[later], cursor) { return nil }
      later += 1
    }
    let chance = entry.interpolated(
      from: Int(entry.lowActivityChance), to: Int(entry.highActivityChance), at: cursor.activity)
    guard chance < 100 else { return stroke }
    // The lines of the pitched parts have numbers from 64 on. Another line of drums therefore does not change the decisions by chance for
    // the pitched parts.
    let number = line < drumLineCount ? line : Self.maximumLines + line - drumLineCount
    let hash = Chance.hash(seed: seed, bar: cursor.bar, line: UInt32(number), tick: UInt32(tick))
    return Chance.happens(chance, hash) ? stroke : nil
  }

  /// The index of the stroke at `tick` of a bar, counted from the first stroke of a line.
  @_noLocks @_noAllocation
  func place(of tick: Int, bar: Int64, _ entry: TableLine) -> Int {
    var bar = Int(bar % Int64(entry.bars))
    if bar < 0 { bar += Int(entry.bars) }
    return bar * Int(entry.strokesPerBar) + tick / Int(entry.ticksPerStroke)
  }

  /// The length of a bar in ticks.
  var barTicks: Int { @_noLocks @_noAllocation get { Int(barSteps) * 6 } }

  /// Whether a line sounds at the cursor's activity. For a line of the fill, the fill must also sound in the cursor's bar.
  @_noLocks @_noAllocation
  private mutating func sounds(_ entry: TableLine, _ cursor: HitCursor) -> Bool {
    if entry.isFill, cursor.playsFill { return true }
    guard entry.from <= cursor.activity, cursor.activity <= entry.to else { return false }
    guard entry.isFill else { return true }
    // The fill can sound in the last bar of each group of `period` bars.
    let period = Int64(fillPeriod)
    let place = cursor.bar % period
    guard (place < 0 ? place + period : place) == period - 1 else { return false }
    return Chance.happens(
      Int(fillChance), Chance.hash(seed: seed, bar: cursor.bar, line: Chance.fill, tick: 0))
  }

  /// Whether another line has a louder stroke of the same voice at the same tick. Of equally loud strokes, only that of the first
  /// line sounds.
  @_noLocks @_noAllocation
  private mutating func isMasked(_ line: Int, velocity: UInt8, _ tick: Int, _ cursor: HitCursor) -> Bool {
    let voice = lines[line].voice
    var other = 0
    while other < drumLineCount {
      if other != line, lines[other].voice == voice, let stroke = stroke(of: other, tick, cursor) {
        let otherVelocity = self.velocity(of: stroke, other, cursor.activity)
        if otherVelocity > velocity || (otherVelocity == velocity && other < line) { return true }
      }
      other += 1
    }
    return false
  }

  /// The velocity of a stroke of a line at `activity`, 1...127.
  @_noLocks @_noAllocation
  mutating func velocity(of stroke: Stroke, _ line: Int, _ activity: UInt8) -> UInt8 {
    let entry = lines[line]
    // The level and `swelled` are percentages.
    let swelled = entry.interpolated(from: 100 - Int(swell), to: 100, at: activity)
    let velocity = Int(stroke.velocity) * Int(entry.level) * swelled / 10_000
    return velocity < 1 ? 1 : velocity > 127 ? 127 : UInt8(velocity)
  }
}
