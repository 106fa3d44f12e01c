import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Rhythm
import Scores

/// The chord symbols of the score that plays, for the pitched parts of a rhythm and for instruments: a lead sheet drives a style.
///
/// All peers have the same symbols, because they are in the score, and the same ticks, because they follow the line of the timeline message.
struct ScoreChords {
  /// The chords of one line, in the order of time. In a loop, those of one turn.
  private struct Turn {
    let line: ScoreLine
    /// The length of the turn of a loop in ticks; nil without a loop.
    let length: Int64?
    /// Not empty.
    let chords: [(tick: Int64, chord: Rhythm.Chord)]

    /// The index of the chord in force at a tick, counted from the beginning of the turn. Before the first chord of the first turn, it is the
    /// first chord.
    func index(at tick: Int64, isFirst: Bool) -> Int {
      chords.lastIndex { $0.tick <= tick } ?? (isFirst ? 0 : chords.count - 1)
    }
  }

  /// The number of chords of a phrase (``ChordWindow``). Each phrase also contains the chord after its end, to which the bass leads.
  private static let phrase = 32
  /// When fewer chords than these are left in a window, another one follows.
  private static let reserve = 12

  /// The present line and the next one, with the score that was known.
  private var turns: [(line: ScoreLine, isHere: Bool, turn: Turn?)] = []
  /// The run and the lines for which the last windows were made.
  private var run: UInt32 = 0
  private var score = ChangingValue(ScoreLine.none)
  /// The tick at which the next window is due.
  private var renewal = Tick(.max)

  /// Follows the schedule.
  ///
  /// - Parameters:
  ///   - tick: the present tick.
  ///   - known: the score with a digest, if it is here.
  /// - Returns: whether the tables of the rhythms must be made again.
  mutating func follow(
    _ schedule: PlaybackSchedule, at tick: Tick, scores known: (DocumentDigest) -> Score?
  ) -> Bool {
    let lines = [schedule.score.value, schedule.score.next]
    let scores = lines.map { line in line.digest.flatMap(known) }
    let isSame = run == schedule.firstRun && score == schedule.score && turns.map(\.isHere) == scores.map { $0 != nil }
    guard !isSame || tick >= renewal else { return false }
    let hadChords = turns.contains { $0.turn != nil }
    turns = zip(lines, scores).map { line, score in
      if let known = turns.first(where: { $0.line == line && $0.isHere }) { return known }
      return (line, score != nil, score.flatMap { Self.turn(line, in: $0) })
    }
    (run, score, renewal) = (schedule.firstRun, schedule.score, Tick(.max))
    guard turns.contains(where: { $0.turn != nil }) else { return hadChords }
    let places = places(from: tick)
    if places.count == ChordProgression.maximumChords { renewal = places[places.count - Self.reserve].tick }
    if score.isChanging, tick < score.tick { renewal = min(renewal, score.tick) }
    return true
  }

  /// The next chords for a rhythm whose step 0 is at `origin`; nil if the score has no chord symbols.
  func window(from tick: Tick, origin: Tick) -> ChordWindow? {
    let (first, places) = (Tick(tick - origin).step, places(from: tick))
    var phrases: [[Rhythm.Chord]] = []
    var numbers: [[Int]: Int] = [:]
    var changes: [ChordWindow.Change] = []
    for place in places {
      let key = [place.turn, place.index / Self.phrase]
      let number = numbers[key] ?? phrases.count
      if number == phrases.count, let turn = turns[place.turn].turn {
        numbers[key] = number
        let start = place.index / Self.phrase * Self.phrase
        let chords = turn.chords.map(\.chord)
        phrases.append(Array((chords[start...] + chords.prefix(1)).prefix(Self.phrase + 1)))
      }
      // A chord that begins inside a step sounds from the next step on.
      let start = Int(Tick(place.tick - origin).roundedUpToStep.step.index - first.index)
      let change = ChordWindow.Change(
        phrase: number, index: place.index % Self.phrase, step: place.tick <= tick ? 0 : start)
      guard change.step <= ChordWindow.maximumStep else { break }
      if changes.last?.step == change.step { changes.removeLast() }
      changes.append(change)
    }
    guard !changes.isEmpty else { return nil }
    var window = ChordWindow(phrases: phrases, changes: changes, origin: first)
    // The next line has no chords.
    if score.isChanging, tick < score.tick, turns[1].turn == nil {
      window.end = Int(Tick(score.tick - origin).roundedUpToStep.step.index - first.index)
    }
    return window
  }

  /// The chord that is in force at a tick, and those after it, at most ``ChordProgression/maximumChords``.
  private func places(from tick: Tick) -> [(turn: Int, index: Int, tick: Tick)] {
    var places: [(turn: Int, index: Int, tick: Tick)] = []
    for number in turns.indices {
      guard let turn = turns[number].turn else { continue }
      let (begin, end) = number == 0 ? (tick, score.tick) : (max(tick, score.tick), Tick(.max))
      if begin >= end || number == 1 && !score.isChanging { continue }
      add(turn, number, begin, end, to: &places)
    }
    return places
  }

  private func add(
    _ turn: Turn, _ number: Int, _ begin: Tick, _ end: Tick, to places: inout [(turn: Int, index: Int, tick: Tick)]
  ) {
    let distance = max(begin - turn.line.origin, 0)
    var start = turn.length.map { distance - distance % $0 } ?? 0
    var index = turn.index(at: distance - start, isFirst: start == 0)
    // The chord in force may have begun before, also in the turn before.
    places.append((number, index, begin))
    if turn.chords[index].tick > distance - start, start > 0 { start -= turn.length ?? 0 }
    while places.count < ChordProgression.maximumChords {
      index += 1
      if index == turn.chords.count {
        guard let length = turn.length else { return }
        (index, start) = (0, start + length)
      }
      let tick = turn.line.origin + (start + turn.chords[index].tick)
      guard tick < end, tick - begin < Int64(ChordWindow.maximumStep) * Tick.perStep else { return }
      if tick > begin { places.append((number, index, tick)) }
    }
  }

  /// The chords along a line; nil if the score has none.
  private static func turn(_ line: ScoreLine, in score: Score) -> Turn? {
    guard let part = score.parts.first(where: { $0.bars.contains { !$0.symbols.isEmpty } }),
      let plan = try? ScorePlan(line, in: score)
    else { return nil }
    var transposition = 0
    let bars = part.bars.map { bar in
      for change in bar.changes {
        if case .transposition(let interval) = change.content { transposition = Int(interval.semitones) }
      }
      return bar.symbols.compactMap { symbol in
        Rhythm.Chord(symbol, transposedBy: transposition).map { (ScorePosition(symbol.offset).thousandths, $0) }
      }
    }
    var chords: [(tick: Int64, chord: Rhythm.Chord)] = []
    for played in plan.route.bars {
      let start = ScorePosition(played.start).thousandths
      for (offset, chord) in bars[played.bar] { chords.append(((start + offset + 500) / 1000, chord)) }
    }
    return chords.isEmpty ? nil : Turn(line: line, length: plan.isLoop ? plan.length : nil, chords: chords)
  }
}

extension Rhythm.Chord {
  /// The chord of a chord symbol; nil for `N.C.`, after which the chord of before goes on.
  ///
  /// - Parameter semitones: from the written to the sounding pitch.
  init?(_ symbol: ChordSymbol, transposedBy semitones: Int) {
    guard symbol.kind != .none else { return nil }
    func sounding(_ root: ChordSymbol.Root) -> UInt8 { UInt8(((root.pitchClass + semitones) % 12 + 12) % 12) }
    var intervals = symbol.kind.tones
    for degree in symbol.degrees {
      let natural = Self.interval(ofDegree: Int(degree.number))
      // The note of the kind with this degree, such as the lowered third of a minor chord.
      let place = intervals.firstIndex { $0 != 0 && abs($0 - natural) <= 1 }
      switch degree.effect {
      case .add: intervals.append(natural + Int(degree.alteration))
      case .alter:
        let note = (place.map { intervals.remove(at: $0) } ?? natural) + Int(degree.alteration)
        intervals.append(note)
      case .subtract: if let place { intervals.remove(at: place) }
      }
    }
    self.init(
      symbol.text, root: sounding(symbol.root), bass: sounding(symbol.bass ?? symbol.root), intervals: intervals)
  }

  /// The semitones from the root to a degree, as MusicXML counts them: perfect and major intervals, and a minor seventh.
  private static func interval(ofDegree number: Int) -> Int {
    let degree = max(number, 1) - 1
    return degree / 7 * 12 + [0, 2, 4, 5, 7, 9, 10][degree % 7]
  }
}
