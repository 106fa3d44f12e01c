import Scores
import Text

/// Reads a MusicXML file of the form `score-partwise` into a ``Score``.
///
/// A file lists the bars of the first part, then those of the second, and so on. Within a bar a cursor moves: each note moves it by its
/// duration, `backup` and `forward` move it without a note, and a note with `chord` sounds with the note before. The voices of the score
/// are the voices of the file, except where the file lets notes of one voice overlap: those get a voice of their own. Source: MusicXML 4.0.
final class MusicXMLReader {
  /// What a bar of the file says apart from the contents of parts. The parts of a file repeat it.
  struct WrittenBar {
    var bar: Bar
    /// The end of the last note of any part in quarter notes, and the end of everything in the parts that have notes and in all parts.
    var noteEnd = Fraction.zero
    var filledEnd = Fraction.zero
    var end = Fraction.zero
    /// The place of the bar in the first part that has it, in octets from the beginning of the file.
    var place: Int
    /// The repeats and endings inside the bar.
    var divisions: [BarDivision] = []

    init(bar: Bar, place: Int) { (self.bar, self.place) = (bar, place) }
  }

  let file: String
  var result = ScoreImport(Score())
  var score: Score {
    get { result.score }
    _modify { yield &result.score }
  }
  var bars: [WrittenBar] = []
  /// The parts of the part list by their names in the file, and the instruments of each part by theirs.
  var partNumbers: [String: Int] = [:]
  var instrumentNumbers: [[String: UInt8]] = []
  var hasProgram: [Bool] = []
  /// The parts that have bars.
  var readParts: Set<Int> = []

  // The place in the file.
  var part = 0
  var barIndex = -1
  var cursor = PartCursor()
  /// In octets from the beginning of the file.
  private var offset = 0
  private var lines: LineCounter
  /// Elements that were not used, by the numbers of their names.
  private var unusedCounts: [UInt16: Int] = [:]
  var noteCount = 0
  var denominator: UInt64 = 1

  private init(_ file: String, _ octets: [UInt8]) { (self.file, lines) = (file, LineCounter(octets)) }

  static func read(_ octets: [UInt8], file: String) throws(ScoreFault) -> ScoreImport {
    let reader = MusicXMLReader(file, octets)
    var names = NameTable.start
    try XMLStream.read(octets, file: file) { stream, step throws(ScoreFault) in
      try reader.take(stream, step)
      if case .end(.scorePartwise) = step { names = stream.tree.names }
    }
    for (name, count) in reader.unusedCounts { reader.result.unsupported[names.names[Int(name)], default: 0] += count }
    try reader.finish()
    return reader.result
  }

  private func take(_ stream: XMLStream, _ step: XMLStream.Step) throws(ScoreFault) {
    switch step {
    case .begin(.part): try beginPart(stream)
    case .begin(.measure): try beginBar(stream)
    case .begin: break
    case .end(.measure): endBar()
    case .end: break
    case .tree:
      offset = stream.tree.offset
      if barIndex >= 0 {
        try takeBarContent(&stream.tree)
      } else {
        try takeHeader(&stream.tree)
      }
      count(stream.tree)
    }
  }

  private func takeBarContent(_ tree: inout XMLTree) throws(ScoreFault) {
    switch tree.name(0) {
    case .note: try takeNote(&tree)
    case .backup, .forward: try takeMove(&tree)
    case .attributes: try takeAttributes(&tree)
    case .direction: try takeDirection(&tree)
    case .harmony: try takeHarmony(&tree)
    case .barline: takeBarline(&tree)
    case .sound:
      tree.use(0)
      takeSound(tree, 0, at: cursor.position, text: "")
    default: break
    }
  }

  private func beginPart(_ stream: XMLStream) throws(ScoreFault) {
    offset = stream.tree.offset
    barIndex = -1
    cursor = PartCursor()
    let name = stream.tree.attribute(0, .id) ?? ""
    if let number = partNumbers[name], !readParts.contains(number) {
      part = number
    } else if let free = score.parts.indices.first(where: { !readParts.contains($0) }), partNumbers[name] == nil {
      // A part without an id (or with one that is not in the part list) is the next one of the part list.
      part = free
      add("part \(name.printable()) is not in the part list", "it is read as part \(free + 1)")
    } else {
      throw fault("part \(name.printable())", "is not in the part list, or occurs twice", "export the file again")
    }
    readParts.insert(part)
  }

  private func beginBar(_ stream: XMLStream) throws(ScoreFault) {
    offset = stream.tree.offset
    barIndex = score.parts[part].bars.count
    guard barIndex < Score.Limits.bars else {
      throw fault("the score", "more than \(Score.Limits.bars) bars", "divide it into several scores")
    }
    score.parts[part].bars.append(PartBar())
    if barIndex == bars.count {
      var bar = Bar(number: clean(stream.tree.attribute(0, .number) ?? ""), length: .zero)
      bar.isImplicit = stream.tree.has(0, .implicit, "yes")
      bars.append(WrittenBar(bar: bar, place: offset))
    }
    cursor.beginBar()
  }

  private func endBar() {
    sortContents(&score.parts[part].bars[barIndex])
    bars[barIndex].end = max(bars[barIndex].end, cursor.end)
    bars[barIndex].noteEnd = max(bars[barIndex].noteEnd, cursor.noteEnd)
    if cursor.noteEnd > .zero { bars[barIndex].filledEnd = max(bars[barIndex].filledEnd, cursor.end) }
  }

  /// Counts the elements that were not used. A used element can have children that were not.
  private func count(_ tree: XMLTree, from index: XMLTree.Index = 0) {
    guard tree.nodes[Int(index)].isUsed else {
      unusedCounts[tree.nodes[Int(index)].name, default: 0] += 1
      return
    }
    // The depth is bounded by that of the file.
    var next = tree.firstChild(index)
    while let child = next {
      count(tree, from: child)
      next = tree.next(child)
    }
  }

  // MARK: Messages

  /// `bar 12 of part Violin`, for messages.
  var place: String {
    guard barIndex >= 0, score.parts.indices.contains(part) else { return "the header" }
    let number = bars[barIndex].bar.number
    return "bar \(number.isEmpty ? "\(barIndex + 1)" : number) of part \(score.parts[part].name)"
  }

  func add(_ found: String, _ consequence: String) {
    // The line of a finding that is not kept is not counted.
    let line = result.findingCount < ScoreImport.maximumFindings ? lines.line(at: offset) : 0
    result.add(file, line, "\(place): \(found)", consequence)
  }

  /// Adds a finding about a bar of all parts.
  func add(bar: Int, _ found: String, _ consequence: String) {
    let line = result.findingCount < ScoreImport.maximumFindings ? lines.line(at: bars[bar].place) : 0
    let number = bars[bar].bar.number
    result.add(file, line, "bar \(number.isEmpty ? "\(bar + 1)" : number): \(found)", consequence)
  }

  func fault(_ thing: String, _ reason: String, _ remedy: String) -> ScoreFault {
    ScoreFault(file: file, line: lines.line(at: offset), thing, reason, remedy)
  }

  func tooFine() -> ScoreFault { fault(place, "the note values are too fine", "use simpler ones") }

  /// A text of the file for the score: one line, printable, and bounded.
  func clean(_ text: String) -> String {
    // Almost all texts are short ASCII without control characters.
    if text.utf8.count < 200, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    return text.cleanName(octets: 1000) ?? ""
  }

  /// Checks a length of the file, and adds it to the common denominator.
  func check(_ value: Fraction) throws(ScoreFault) {
    let next = UInt64(value.denominator)
    if denominator % next == 0 { return }
    var (a, b) = (denominator, next)
    while b != 0 { (a, b) = (b, a % b) }
    let (product, overflow) = denominator.multipliedReportingOverflow(by: next / a)
    guard !overflow, product <= Score.Limits.denominator else { throw tooFine() }
    denominator = product
  }
}

/// The place of the reader within a part.
struct PartCursor {
  /// The units of duration per quarter note.
  var divisions = Fraction(1)
  /// The position in quarter notes from the beginning of the bar.
  var position = Fraction.zero
  /// The end of the contents of the bar, and of its notes.
  var (end, noteEnd) = (Fraction.zero, Fraction.zero)
  /// The voice and the index in it of the last chord, for `chord` elements.
  var last: (voice: Int, chord: Int)?
  /// The numbers of voices whose names are not numbers.
  var voices: [String: UInt8] = [:]

  mutating func beginBar() { (position, end, noteEnd, last) = (.zero, .zero, .zero, nil) }
}
