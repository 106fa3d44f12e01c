import Scores

/// The comparison of notes with music21's reading.
///
/// The notes of each part are matched as multisets of (bar, onset in the bar, pitch, length). Notes that remain are put into classes: the
/// same note elsewhere, another length, another pitch, only here, only in music21. The starts of the bars are compared too: music21 adds up
/// the bars of each part alone, so one bar with a wrong length moves the rest of its part away from the other parts.
struct Comparison {
  private(set) var equal = 0
  /// The notes of music21, and those that only the import has.
  private(set) var total = 0
  /// The notes of music21 whose bar also begins at the same position of the score.
  private var equalFromStart = 0
  private var classes: [String: Int] = [:]
  private var files: [(file: String, different: Int, kinds: [String: Int])] = []

  mutating func add(_ score: Score, _ reference: ReferenceNotes, _ file: String, _ shown: Int) {
    var different = 0
    var kinds: [String: Int] = [:]
    var printed = 0
    func count(_ kind: String, _ count: Int) { kinds[kind, default: 0] += count }
    let own = score.parts.map { notes(of: $0) }
    var starts: [Int] = []
    var start = Fraction.zero
    for bar in score.bars {
      starts.append(Int(start.rounded(times: 1000)))
      start = (try? start + bar.length) ?? start
    }
    // The bars at which the parts of music21 begin at different positions: its parts are out of step there.
    let disputed = starts.indices.map { bar in
      Set(reference.starts.compactMap { bar < $0.count ? $0[bar] : nil }).count > 1
    }
    var shifted = 0
    for index in 0..<max(own.count, reference.parts.count) {
      let mine = index < own.count ? own[index] : []
      let theirs = index < reference.parts.count ? reference.parts[index] : []
      var rest = Dictionary(mine.map { ($0, 1) }, uniquingKeysWith: +)
      var missing: [ComparedNote] = []
      for note in theirs {
        if let left = rest[note], left > 0 {
          rest[note] = left - 1
          equal += 1
          if reference.starts[index][note.bar] == starts[note.bar] {
            equalFromStart += 1
          } else {
            shifted += 1
            count(
              disputed[note.bar]
                ? "in bars where the parts of music21 are out of step" : "in bars that begin elsewhere", 1)
          }
        } else {
          missing.append(note)
        }
      }
      total += theirs.count
      var extra = rest.flatMap { Array(repeating: $0.key, count: $0.value) }.sorted()
      for note in missing.sorted() {
        different += 1
        func take(_ kind: String, _ isSame: (ComparedNote) -> Bool) -> Bool {
          guard let match = extra.firstIndex(where: isSame) else { return false }
          if printed < shown {
            printed += 1
            print("  \(file) part \(index + 1): \(kind): here \(extra[match]), music21 \(note)")
          }
          extra.remove(at: match)
          count(kind, 1)
          return true
        }
        if take("length", { $0.bar == note.bar && $0.onset == note.onset && $0.pitch == note.pitch }) { continue }
        if take("pitch", { $0.bar == note.bar && $0.onset == note.onset && $0.length == note.length }) { continue }
        if take("onset", { $0.bar == note.bar && $0.pitch == note.pitch && $0.length == note.length }) { continue }
        count("only music21", 1)
        if printed < shown {
          printed += 1
          print("  \(file) part \(index + 1): only music21: \(note)")
        }
      }
      total += extra.count
      different += extra.count
      if !extra.isEmpty {
        count("only here", extra.count)
        for note in extra.prefix(max(shown - printed, 0)) { print("  \(file) part \(index + 1): only here: \(note)") }
      }
    }
    for (kind, count) in kinds { classes[kind, default: 0] += count }
    if different + shifted > 0 { files.append((file, different, kinds)) }
  }

  private func notes(of part: Part) -> [ComparedNote] {
    var list: [ComparedNote] = []
    for (index, bar) in part.bars.enumerated() {
      for chord in bar.voices.lazy.flatMap(\.chords) {
        for note in chord.notes {
          let pitch = if case .pitch(let pitch) = note.sound { pitch.key } else { -1 }
          list.append(
            ComparedNote(
              bar: index, onset: Int(chord.onset.rounded(times: 1000)), pitch: pitch,
              length: Int(chord.length.rounded(times: 1000))))
        }
      }
    }
    return list
  }

  func report() {
    print("of them in bars that begin at the same position: \(equalFromStart)")
    print("differences by class:")
    for (kind, count) in classes.sorted(by: { $0.value > $1.value }) { print("  \(count) \(kind)") }
    print("files with differences: \(files.count)")
    for (file, different, kinds) in files.sorted(by: { $0.different > $1.different }) {
      print(
        "  \(different) \(file): \(kinds.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
      )
    }
  }
}
