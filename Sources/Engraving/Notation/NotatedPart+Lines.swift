import Scores

/// Lines from one note to another: ties, slurs, tuplets, hairpins and octave lines.
extension NotatedPart {
  /// The largest number of ties that wait for their ends. More come from files without ends only.
  private static let maximumOpenTies = 256

  mutating func readLines(_ source: Part) {
    readTies()
    readSlursAndTuplets(source)
    readSpans(source)
  }

  // MARK: Ties

  private mutating func readTies() {
    struct Open {
      let note: Int, measure: Int, end: Int, voice: Int
    }
    var open: [Open] = []
    for measure in measures.indices {
      for index in measures[measure].chords where !chords[index].isRest {
        let chord = chords[index]
        for note in chord.notes where notes[note].continuesTie || !open.isEmpty {
          let candidates = open.indices.filter {
            let other = notes[open[$0].note]
            guard other.letter == notes[note].letter, other.alteration == notes[note].alteration else { return false }
            let isLater = open[$0].measure == measure ? open[$0].end <= chord.tick : open[$0].measure + 1 == measure
            if notes[note].continuesTie { return isLater }
            // A file may state the beginning only: the next note of the voice is meant.
            return open[$0].voice == chord.voice
              && (open[$0].measure == measure
                ? open[$0].end == chord.tick
                : isLater && chord.tick == 0 && open[$0].end == measures[measure - 1].length)
          }
          let match = candidates.last { open[$0].voice == chord.voice } ?? candidates.last
          if let match {
            ties.append(TieSpan(start: open[match].note, end: note))
            open.remove(at: match)
          } else if chord.tick == 0, notes[note].continuesTie {
            ties.append(TieSpan(start: nil, end: note))
          }
        }
        for note in chord.notes where notes[note].startsTie {
          open.append(Open(note: note, measure: measure, end: chord.tick + chord.length, voice: chord.voice))
        }
      }
      // A tie reaches the next bar at most.
      let old = open.filter { $0.measure < measure }
      if !old.isEmpty || open.count > Self.maximumOpenTies {
        for tie in old { ties.append(TieSpan(start: tie.note, end: nil)) }
        open.removeAll { $0.measure < measure }
      }
    }
    for tie in open { ties.append(TieSpan(start: tie.note, end: nil)) }
  }

  // MARK: Slurs and tuplets

  private mutating func readSlursAndTuplets(_ source: Part) {
    // Voices may use the same number at the same time, so a slur ends first of all in the voice where it began.
    var openSlurs = [[Int]](repeating: [], count: SpanMark.maximumNumber + 1)
    var lost = 0
    let hasTuplets = source.bars.contains { bar in
      bar.voices.contains { $0.chords.contains { !$0.tuplets.isEmpty } }
    }
    for measure in measures.indices where !measures[measure].isMultiRest {
      var slurs: [UInt32: [SpanMark]] = [:]
      var tupletMarks: [UInt32: [SpanMark]] = [:]
      for voice in source.bars[measures[measure].bars.lowerBound].voices {
        for chord in voice.chords {
          if !chord.slurs.isEmpty { slurs[chord.id] = chord.slurs }
          if !chord.tuplets.isEmpty { tupletMarks[chord.id] = chord.tuplets }
        }
      }
      if !slurs.isEmpty {
        for index in measures[measure].chords {
          guard let marks = slurs[chords[index].id] else { continue }
          for mark in marks where !mark.isStart {
            let number = min(Int(mark.number), SpanMark.maximumNumber)
            let open = openSlurs[number]
            guard let match = open.lastIndex(where: { chords[$0].voice == chords[index].voice }) ?? open.indices.last
            else { continue }
            openSlurs[number].remove(at: match)
            let slur = ChordSpan(start: open[match], end: index)
            // A file may give each note of a chord a slur of its own.
            if open[match] != index, !self.slurs.suffix(8).contains(slur) { self.slurs.append(slur) }
          }
          for mark in marks where mark.isStart {
            let number = min(Int(mark.number), SpanMark.maximumNumber)
            let old = openSlurs[number].count
            openSlurs[number].removeAll { chords[$0].voice == chords[index].voice }
            lost += old - openSlurs[number].count
            openSlurs[number].append(index)
          }
        }
      }
      if hasTuplets ? !tupletMarks.isEmpty : measures[measure].chords.contains(where: { chords[$0].ratio != nil }) {
        readTuplets(measure, tupletMarks, isGiven: hasTuplets)
      }
    }
    lost += openSlurs.reduce(0) { $0 + $1.count }
    if lost > 0 { missing["slur without an end", default: 0] += lost }
  }

  private mutating func readTuplets(_ measure: Int, _ marks: [UInt32: [SpanMark]], isGiven: Bool) {
    var voices: [Int: [Int]] = [:]
    for index in measures[measure].chords where !chords[index].isGrace {
      voices[chords[index].voice, default: []].append(index)
    }
    for (_, members) in voices.sorted(by: { $0.key < $1.key }) {
      let first = tuplets.count
      if isGiven { readGiven(members, marks) } else { inferTuplets(members) }
      nest(first)
    }
  }

  private mutating func readGiven(_ members: [Int], _ marks: [UInt32: [SpanMark]]) {
    var starts = [Int?](repeating: nil, count: SpanMark.maximumNumber + 1)
    for (position, index) in members.enumerated() {
      for mark in marks[chords[index].id] ?? [] where mark.isStart {
        starts[min(Int(mark.number), SpanMark.maximumNumber)] = position
      }
      for mark in marks[chords[index].id] ?? [] where !mark.isStart {
        let number = min(Int(mark.number), SpanMark.maximumNumber)
        guard let start = starts[number] else { continue }
        starts[number] = nil
        append(Array(members[start...position]))
      }
    }
  }

  /// Without marks in the file, a tuplet ends where its notes fill the time of its normal notes.
  private mutating func inferTuplets(_ members: [Int]) {
    var group: [Int] = []
    var (length, shortest) = (0, Int.max)
    for index in members {
      let chord = chords[index]
      guard let ratio = chord.ratio, ratio.actual != ratio.normal else {
        group.removeAll()
        continue
      }
      if let last = group.last, chords[last].ratio != ratio { group.removeAll() }
      if group.isEmpty { (length, shortest) = (0, .max) }
      group.append(index)
      length += chord.length
      // A dotted note counts as its plain value.
      let plain = chord.dots == 1 ? chord.length * 2 / 3 : chord.length
      shortest = min(shortest, plain)
      if length * 1 >= shortest * Int(ratio.actual) {
        append(group)
        group.removeAll()
      }
    }
  }

  private mutating func append(_ members: [Int]) {
    guard let ratio = members.compactMap({ chords[$0].ratio }).max(by: { $0.actual > $1.actual }) else { return }
    tuplets.append(TupletGroup(chords: members, number: Int(ratio.actual)))
  }

  /// The ratio of a note is the product of all tuplets around it, so an inner tuplet is divided by the outer one.
  private mutating func nest(_ first: Int) {
    let group = tuplets[first...]
    guard group.count > 1, group.count < 64 else { return }
    for inner in group.indices {
      let (a, b) = (tuplets[inner].chords.first ?? 0, tuplets[inner].chords.last ?? 0)
      for outer in group.indices where outer != inner {
        let (c, d) = (tuplets[outer].chords.first ?? 0, tuplets[outer].chords.last ?? 0)
        guard c <= a, b <= d, d - c > b - a else { continue }
        tuplets[inner].depth += 1
        let number = tuplets[outer].number
        if number > 1, tuplets[inner].number % number == 0, tuplets[inner].number > number {
          tuplets[inner].number /= number
        }
      }
    }
  }

  // MARK: Hairpins and octave lines

  private mutating func readSpans(_ source: Part) {
    var hairpins: [Int: MarkSpan] = [:]
    var octaves: [Int: MarkSpan] = [:]
    for measure in measures.indices where !measures[measure].isMultiRest {
      for mark in source.bars[measures[measure].bars.lowerBound].marks {
        let staff = min(max(Int(mark.staff) - 1, 0), staves - 1)
        let position = (measure: measure, tick: timebase.ticks(mark.offset))
        switch mark.content {
        case .hairpin(let isCrescendo, let number):
          hairpins[Int(number)] = MarkSpan(
            kind: isCrescendo ? .crescendo : .diminuendo, staff: staff, start: position, end: position)
        case .hairpinEnd(let number):
          guard var span = hairpins.removeValue(forKey: Int(number)) else { continue }
          span.end = position
          if span.start < position { spans.append(span) }
        case .octaveLine(let count):
          octaves[staff] = MarkSpan(kind: .octaves(Int(count)), staff: staff, start: position, end: position)
        case .octaveLineEnd:
          guard var span = octaves.removeValue(forKey: staff) else { continue }
          span.end = position
          spans.append(span)
        default: break
        }
      }
    }
    if !hairpins.isEmpty { missing["hairpin without an end", default: 0] += hairpins.count }
    if !octaves.isEmpty { missing["octave line without an end", default: 0] += octaves.count }
  }
}
