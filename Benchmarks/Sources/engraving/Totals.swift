import Engraving
import Fonts
import Foundation
import ScoreFiles
import Scores

/// The processor time of this process in milliseconds. Other programs on the machine do not change it much.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

/// The results of all parts.
struct Totals {
  /// One engraved part.
  struct Result {
    var svg: [UInt8]
    var notes: Int
    var systems: Int
    var pages: Int
    /// Milliseconds.
    var layout: Double
    var writing: Double
  }

  /// How often something agrees with the file, and the classes of differences.
  struct Agreement {
    var equal = 0
    var differences: [String: Int] = [:]
    var count: Int { equal + differences.values.reduce(0, +) }
  }

  /// How many differences of each kind are printed.
  private let limit: Int
  private var printed: [String: Int] = [:]
  private var refused: [(file: String, reason: String)] = []
  private var scores = 0
  private var parts = 0
  private var notes = 0
  private var identities = Agreement()
  private var stems = Agreement()
  private var accidentals = Agreement()
  /// Accidentals in addition to those of a file that has some.
  private var additionalAccidentals = 0
  private var beams = Agreement()
  /// Chords whose beam is incomplete in the file.
  private var incompleteBeams = 0
  private var missing: [String: Int] = [:]
  /// Milliseconds and notes of each part.
  private var times: [(milliseconds: Double, notes: Int, name: String)] = []

  init(limit: Int) { self.limit = limit }

  mutating func read(_ file: String, _ data: Data) -> Score? {
    do throws(ScoreFault) {
      let score = try ScoreImport(octets: Array(data), file: file).score
      scores += 1
      return score
    } catch {
      refused.append((file, error.description))
      return nil
    }
  }

  mutating func engrave(_ score: Score, _ part: Int, _ file: String, _ fonts: FontSet, _ width: Double) -> Result? {
    let place = "\(file) part \(part + 1)"
    do throws(ScoreFault) {
      let start = processorTime()
      let engraved = try Engraver(fonts: fonts, width: width).engrave(score, part: part)
      let middle = processorTime()
      let svg = SVGDocument(engraved, of: score, font: fonts.music, name: score.parts[part].name).octets
      let end = processorTime()
      let pages = SVGPages(engraved, of: score, fonts: fonts, name: "", paper: SVGPages.Paper()).pages.count
      let count = compare(score, part, engraved, svg, place)
      parts += 1
      notes += count
      for (name, count) in engraved.missing { missing[name, default: 0] += count }
      times.append((end - start, count, place))
      return Result(
        svg: svg, notes: count, systems: engraved.systems.count, pages: pages, layout: middle - start,
        writing: end - middle)
    } catch {
      refused.append((place, error.description))
      return nil
    }
  }

  /// Compares an engraving with its score. Returns the number of notes.
  private mutating func compare(
    _ score: Score, _ part: Int, _ engraved: EngravedPart, _ svg: [UInt8], _ place: String
  ) -> Int {
    var ids: [String: Int] = [:]
    for match in String(decoding: svg, as: UTF8.self).matches(of: #/ id="([nrb]\d+)"/#) {
      ids[String(match.1), default: 0] += 1
    }
    let drawing = DrawnChords(engraved)
    // Many files have no accidentals, and leave them to the program that reads the file.
    let hasAccidentals = score.parts[part].bars.contains { bar in
      bar.voices.contains { $0.chords.contains { $0.notes.contains { $0.accidental != .none } } }
    }
    var count = 0
    for (bar, content) in score.parts[part].bars.enumerated() {
      let number = score.bars[bar].number
      check(ids["b\(score.bars[bar].id)"] ?? 0, "bar", "\(place) bar \(number)")
      for voice in content.voices {
        let beamed = Self.completeBeams(voice)
        for chord in voice.chords where chord.isVisible {
          let name = "\(place) bar \(number) id \(chord.id)"
          count += chord.notes.count
          if chord.isRest {
            // A multi-bar rest has the ids of its bars only.
            if !drawing.multiRests.contains(bar) { check(ids["r\(chord.id)"] ?? 0, "rest", name) }
            continue
          }
          for note in chord.notes {
            check(ids["n\(note.id)"] ?? 0, note.head == .none ? "note without a head" : "note", name)
            if hasAccidentals { compare(note, drawing, name) }
          }
          compareStem(chord, drawing, name)
          if beamed.contains(chord.id) {
            compareBeams(chord, drawing, name)
          } else if !chord.beams.isEmpty {
            incompleteBeams += 1
          }
        }
      }
    }
    return count
  }

  private mutating func check(_ count: Int, _ what: String, _ name: String) {
    if count == 1 {
      identities.equal += 1
    } else {
      differ(\.identities, "\(what) \(count == 0 ? "not drawn" : "drawn \(count) times")", name)
    }
  }

  private mutating func compare(_ note: Note, _ drawing: DrawnChords, _ name: String) {
    let drawn = drawing.accidentals[note.id]
    switch (note.accidental == .none ? nil : DrawnChords.glyphs(of: note.accidental), drawn) {
    case (nil, nil): break
    case (nil, _?): additionalAccidentals += 1
    case (_?, nil): differ(\.accidentals, "missing \(note.accidental)", name)
    case (let expected?, let drawn?) where drawn == expected: accidentals.equal += 1
    case (_?, _?): differ(\.accidentals, "other than \(note.accidental)", name)
    }
  }

  private mutating func compareStem(_ chord: Chord, _ drawing: DrawnChords, _ name: String) {
    guard let stem = chord.stem, stem == .up || stem == .down, chord.value.map({ $0.halvings > 0 }) ?? false,
      chord.notes.contains(where: { $0.head != .none })
    else { return }
    switch drawing.isStemUp(chord) {
    case nil: differ(\.stems, "no stem", name)
    case (stem == .up)?: stems.equal += 1
    default: differ(\.stems, "\(stem.name) in the file", name)
    }
  }

  /// The chords whose beams are complete in the file: the primary beam begins, continues from chord to chord and ends, and there are as many
  /// beams as the note value has. The other chords are beamed by the metre, and by their values.
  private static func completeBeams(_ voice: Voice) -> Set<UInt32> {
    var (complete, group) = (Set<UInt32>(), [UInt32]())
    for isGrace in [false, true] {
      group = []
      for chord in voice.chords where (chord.grace != nil) == isGrace && !chord.isRest {
        switch chord.beams.first {
        case .begin: group = [chord.id]
        case .continue where !group.isEmpty: group.append(chord.id)
        case .end where !group.isEmpty:
          complete.formUnion(group + [chord.id])
          group = []
        default: group = []
        }
      }
    }
    for chord in voice.chords where chord.value.map({ Int($0.halvings) - 2 != chord.beams.count }) ?? true {
      complete.remove(chord.id)
    }
    return complete
  }

  private mutating func compareBeams(_ chord: Chord, _ drawing: DrawnChords, _ name: String) {
    guard !chord.beams.isEmpty, chord.stem != .absent, chord.notes.contains(where: { $0.head != .none }),
      let drawn = drawing.beams(of: chord)
    else { return }
    let left = chord.beams.contains { $0 == .end || $0 == .continue }
    let right = chord.beams.contains { $0 == .begin || $0 == .continue }
    if drawn.levels != chord.beams.count {
      differ(\.beams, "\(chord.beams.count) beams, \(drawn.levels) drawn", name)
    } else if drawn.joinsLeft != left || drawn.joinsRight != right {
      differ(\.beams, "other group", name)
    } else {
      beams.equal += 1
    }
  }

  private mutating func differ(_ agreement: WritableKeyPath<Totals, Agreement>, _ kind: String, _ name: String) {
    self[keyPath: agreement].differences[kind, default: 0] += 1
    guard printed[kind, default: 0] < limit else { return }
    printed[kind, default: 0] += 1
    print("\(name): \(kind)")
  }

  func report() {
    print("\(scores) scores, \(parts) parts, \(notes) notes; \(refused.count) refused")
    for (file, reason) in refused { print("  \(file): \(reason)") }
    for (name, agreement) in [
      ("notes, rests and bars drawn once", identities), ("stems as in the file", stems),
      ("beams as in the file", beams),
      ("accidentals as in the file", accidentals),
    ] {
      let percent = agreement.count == 0 ? 100 : 100 * Double(agreement.equal) / Double(agreement.count)
      print("\(name): \(agreement.equal) of \(agreement.count), \(String(format: "%.3f", percent)) %")
      for (kind, count) in agreement.differences.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(12) {
        print("  \(count) \(kind)")
      }
    }
    print("accidentals in addition to those of a part that has some: \(additionalAccidentals)")
    print("chords whose beams are incomplete in the file: \(incompleteBeams)")
    let sorted = times.map(\.milliseconds).sorted()
    if let median = sorted.dropFirst(sorted.count / 2).first, let slowest = times.max(by: { $0.0 < $1.0 }) {
      let sum = sorted.reduce(0, +)
      print(
        String(
          format: "layout and SVG: %.1f ms in all, %.3f ms per 1000 notes; median of a part %.2f ms", sum,
          sum / Double(max(notes, 1)) * 1000, median))
      print(String(format: "  slowest: %.1f ms, %d notes, ", slowest.0, slowest.1) + slowest.2)
    }
    print("not drawn, by count:")
    for (name, count) in missing.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) { print("  \(count) \(name)") }
  }
}
