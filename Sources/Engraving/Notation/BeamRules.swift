import Scores

/// The beams: those of the file, or those that the metre demands.
///
/// Without beams in the file, notes shorter than a quarter are joined within a beat; eighths of 2/4, 3/4 and 4/4 also within the groups
/// that are usual there: a whole bar of 2/4 or 3/4, half a bar of 4/4 (Gould, Behind Bars, chapter 2). Inner beams are interrupted
/// between beats.
struct BeamRules {
  private struct Entry {
    let chord: Int
    let beams: [Beam]
  }

  static func apply(to part: inout NotatedPart, _ source: Part) {
    let isGiven = source.bars.contains { bar in
      bar.voices.contains { $0.chords.contains { !$0.beams.isEmpty } }
    }
    defer { markRests(&part) }
    for measure in part.measures.indices where !part.measures[measure].isMultiRest {
      let bar = source.bars[part.measures[measure].bars.lowerBound]
      var beams: [UInt32: [Beam]] = [:]
      if isGiven {
        for voice in bar.voices {
          for chord in voice.chords where !chord.beams.isEmpty { beams[chord.id] = chord.beams }
        }
      }
      for voice in bar.voices {
        for isGrace in [false, true] {
          let chords = part.measures[measure].chords.filter {
            part.chords[$0].voice == Int(voice.number) && part.chords[$0].isGrace == isGrace
          }
          if chords.count < 2 { continue }
          if isGiven {
            readGiven(chords.map { Entry(chord: $0, beams: beams[part.chords[$0].id] ?? []) }, &part)
          } else {
            groupByMetre(chords, part.measures[measure], isGrace, &part)
          }
        }
      }
    }
  }

  /// Marks the rests between the notes of a beam.
  private static func markRests(_ part: inout NotatedPart) {
    for beam in part.beams {
      guard let first = beam.members.first.map({ part.chords[$0.chord] }),
        let last = beam.members.last.map({ part.chords[$0.chord] }), first.measure == last.measure,
        last.tick - first.tick > beam.members.reduce(0, { $0 + part.chords[$1.chord].length }) - last.length
      else { continue }
      for chord in part.measures[first.measure].chords {
        let data = part.chords[chord]
        guard data.isRest, data.voice == first.voice, data.tick > first.tick, data.tick < last.tick else { continue }
        part.chords[chord].isUnderBeam = !data.isWholeBar
      }
    }
  }

  // MARK: Beams of the file

  private static func readGiven(_ entries: [Entry], _ part: inout NotatedPart) {
    var group: [Entry] = []
    func close() {
      if group.count > 1 { add(group, &part) }
      group.removeAll(keepingCapacity: true)
    }
    for entry in entries {
      let chord = part.chords[entry.chord]
      if chord.isRest { continue }
      guard let first = entry.beams.first, chord.flags > 0 else {
        close()
        continue
      }
      if let last = group.last, part.chords[last.chord].staff != chord.staff {
        part.missing["cross-staff beam", default: 0] += 1
        close()
      }
      switch first {
      case .begin:
        close()
        group.append(entry)
      case .continue: group.append(entry)
      case .end:
        group.append(entry)
        close()
      case .forwardHook, .backwardHook: close()
      }
    }
    close()
  }

  private static func add(_ entries: [Entry], _ part: inout NotatedPart) {
    var members: [BeamGroup.Member] = []
    for (index, entry) in entries.enumerated() {
      let levels = part.chords[entry.chord].flags
      var joined = 0
      if index + 1 < entries.count {
        let next = entries[index + 1]
        let shared = min(levels, part.chords[next.chord].flags)
        joined = 1
        // A file that states the outer beams only leaves the inner ones to the rules.
        while joined < shared, goesOn(entry.beams, joined), isJoined(next.beams, joined) { joined += 1 }
      }
      let hook = entry.beams.contains(.forwardHook)
      members.append(
        BeamGroup.Member(chord: entry.chord, levels: levels, joined: joined, hookIsForward: hook || index == 0))
      part.chords[entry.chord].beam = part.beams.count
    }
    if members.indices.contains(1), entries[0].beams.contains(.backwardHook) { members[0].hookIsForward = true }
    part.beams.append(BeamGroup(members: members))
  }

  private static func goesOn(_ beams: [Beam], _ level: Int) -> Bool {
    level >= beams.count || beams[level] == .begin || beams[level] == .continue
  }

  private static func isJoined(_ beams: [Beam], _ level: Int) -> Bool {
    level >= beams.count || beams[level] == .end || beams[level] == .continue
  }

  // MARK: Beams by the metre

  private static func groupByMetre(
    _ chords: [Int], _ measure: NotatedMeasure, _ isGrace: Bool, _ part: inout NotatedPart
  ) {
    var group: [Int] = []
    func close() {
      if group.count > 1 { add(group, measure, &part) }
      group.removeAll(keepingCapacity: true)
    }
    let spans = spans(measure, part.timebase)
    func span(_ tick: Int) -> Int { spans.lastIndex { $0 <= tick } ?? 0 }
    for index in chords {
      let chord = part.chords[index]
      if chord.isRest || chord.flags == 0 {
        close()
        continue
      }
      if let last = group.last {
        let before = part.chords[last]
        let fits =
          isGrace
          ? before.tick == chord.tick && before.order == chord.order - 1
          : before.tick + before.length == chord.tick && span(before.tick) == span(chord.tick)
            && (isWide(measure.metre) ? keepsTogether(before, chord, measure, part.timebase) : true)
        if !fits || before.staff != chord.staff { close() }
      }
      group.append(index)
    }
    close()
  }

  /// Whether eighths are joined over several beats.
  private static func isWide(_ metre: Metre) -> Bool {
    metre.groups.count == 1 && metre.groups[0].beats.count == 1 && metre.groups[0].unit == 4
      && [2, 3, 4].contains(metre.groups[0].beats[0])
  }

  /// Over a beat, only eighths are joined.
  private static func keepsTogether(
    _ before: NotatedChord, _ chord: NotatedChord, _ measure: NotatedMeasure, _ base: Timebase
  ) -> Bool {
    let beat = base.ticksPerQuarter
    let isSameBeat = before.tick / beat == chord.tick / beat
    return isSameBeat || (before.halvings == 3 && chord.halvings == 3 && before.ratio == nil && chord.ratio == nil)
  }

  /// The beginnings of the spans within which notes are joined.
  private static func spans(_ measure: NotatedMeasure, _ base: Timebase) -> [Int] {
    let metre = measure.metre
    // A pick-up ends with the bar, so its spans count from there.
    let full = base.ticks(metre.length)
    let shift = measure.length < full && measure.bars.lowerBound == 0 ? full - measure.length : 0
    var starts: [Int] = [0]
    var position = 0
    func add(_ length: Int) {
      position += length
      if position - shift > 0 { starts.append(position - shift) }
    }
    if isWide(metre) {
      let quarters = metre.groups[0].beats[0]
      let length = base.ticksPerQuarter * (quarters == 4 ? 2 : quarters)
      while position < full, starts.count < 4096 { add(max(length, 1)) }
      return starts
    }
    for group in metre.groups {
      let unit = max(base.ticks(Fraction(4, Int64(max(group.unit, 1))) ?? Fraction(1)), 1)
      for beats in group.beats {
        var rest = beats
        if group.unit >= 8, beats % 3 == 0 {
          while rest > 0 {
            add(3 * unit)
            rest -= 3
          }
        } else if group.unit >= 8, beats > 4 {
          // 5 is 3 + 2, and 7 is 2 + 2 + 3.
          if beats % 2 == 1, beats % 4 == 1 {
            add(3 * unit)
            rest -= 3
          }
          while rest > 3 || rest == 2 {
            add(2 * unit)
            rest -= 2
          }
          if rest > 0 { add(rest * unit) }
        } else if group.unit >= 8 {
          add(beats * unit)
        } else {
          for _ in 0..<beats { add(unit) }
        }
      }
    }
    return starts
  }

  private static func add(_ chords: [Int], _ measure: NotatedMeasure, _ part: inout NotatedPart) {
    let beat = max(part.timebase.ticks(measure.metre.beat), 1)
    var members: [BeamGroup.Member] = []
    for (index, chord) in chords.enumerated() {
      let levels = part.chords[chord].flags
      var joined = 0
      var hookIsForward = index == 0
      if index + 1 < chords.count {
        let (this, next) = (part.chords[chord], part.chords[chords[index + 1]])
        let isSameBeat = this.tick / beat == next.tick / beat || this.isGrace
        joined = isSameBeat ? min(levels, next.flags) : 1
        // A short note at the beginning of a beat points to what follows.
        hookIsForward = hookIsForward || (!this.isGrace && this.tick % beat == 0)
      }
      members.append(
        BeamGroup.Member(chord: chord, levels: levels, joined: joined, hookIsForward: hookIsForward))
      part.chords[chord].beam = part.beams.count
    }
    part.beams.append(BeamGroup(members: members))
  }
}
