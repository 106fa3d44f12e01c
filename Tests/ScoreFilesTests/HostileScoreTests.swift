import ScoreFiles
import Scores
import Testing
import _TestSupport

/// The section "Bad input": each is refused with one clear line, or bounded.
@Suite struct HostileScoreTests {
  typealias X = MusicXMLText

  private func fault(_ text: String) -> ScoreFault? {
    do throws(ScoreFault) {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func refusalsNameTheThingTheReasonAndTheRemedy() throws {
    let note = X.note("C4 48")
    let cases: [(String, String)] = [
      (
        "<score-timewise><part-list/></score-timewise>",
        "test.xml:1: score-timewise: bars that contain parts are not supported; "
      ),
      ("<html/>", "test.xml:1: the file: the element html is no score; "),
      ("", "test.xml:1: the XML: no element found; "),
      (String(X.document([X.attributes + note]).prefix(300)), "the XML: "),
      (
        X.document(["<attributes><divisions>0</divisions></attributes>" + note]),
        "divisions 0: is not a positive number; "
      ),
      (
        X.document(["<attributes><divisions>-4</divisions></attributes>" + note]),
        "divisions -4: is not a positive number; "
      ),
      ("<!DOCTYPE x [<!ENTITY a \"aa\">]>" + "<score-partwise/>", "entity a: entities are not permitted; "),
      (
        X.document([X.attributes + "<direction><direction-type><words>&lol;</words></direction-type></direction>"]),
        "undefined entity"
      ),
      (X.document([X.attributes + X.note("C4 999999999")]), "the note values are too fine"),
      (X.document([]), "the file: has no bars; "),
      (
        X.document([X.attributes + note]).replacing("<part id=\"P1\"", with: "<part id=\"P1&#10;&#x202E;x\"").replacing(
          "<score-part id=\"P1\"><part-name>Flute</part-name></score-part>", with: ""),
        "part P1\\u{a}\\u{202e}x: is not in the part list"
      ),
      (X.document([X.attributes + note], parts: ""), "part P1: is not in the part list"),
      (
        X.document([X.attributes + "<attributes><staves>9</staves></attributes>" + note]),
        "9 staves; use 1 to 8 for one part"
      ),
    ]
    for (text, expected) in cases {
      let fault = try #require(self.fault(text), "\(expected)")
      #expect(fault.description.contains(expected), "\(fault)")
      #expect(!fault.remedy.isEmpty && fault.file == "test.xml" && !fault.description.contains("\n"))
    }
  }

  @Test func entityBombIsRefusedBeforeItGrows() throws {
    var bomb = "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY l0 \"lol\">"
    for level in 1...9 { bomb += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">" }
    bomb += "]><score-partwise><work>&l9;</work></score-partwise>"
    // The declaration is refused, before anything refers to it.
    #expect(try #require(fault(bomb)).description.contains("entity l0: entities are not permitted"))
  }

  @Test func nestingIsBounded() throws {
    let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
    let found = try #require(fault(X.document([deep])))
    #expect(found.description.contains("nested more than 64 deep"))
  }

  /// Elements at the wrong level are no bars. The first document has no part in which they could stand.
  @Test(arguments: ["measure", "measure><measure", "part><part", "measure><part><measure"])
  func elementsAtTheWrongLevelAreListed(tags: String) throws {
    let names = tags.split(separator: "><").reversed()
    let misplaced = "<\(tags)>" + names.map { "</\($0)>" }.joined()
    let empty = "<score-partwise>\(misplaced)</score-partwise>"
    #expect(fault(empty) != nil)
    let score = X.document([X.attributes + X.note("C4 48")])
    for place in ["<part-list>", "</score-partwise>"] {
      let text = score.replacing(place, with: misplaced + place)
      // A second part named "" is refused; everything else is listed, and the score is read.
      if let found = fault(text) {
        #expect(found.description.contains("is not in the part list"))
      } else {
        #expect(try read(text).unsupported["measure"] ?? 0 > 0)
      }
    }
  }

  @Test func aMillionBarsAreRefused() throws {
    let measures = Array(repeating: "", count: 10_001)
    let found = try #require(fault(X.document(measures)))
    #expect(found.description.contains("more than 10000 bars; divide it into several scores"))
  }

  @Test func tooManyPartsAreRefused() throws {
    let parts = (1...65).map { "<score-part id=\"P\($0)\"><part-name>x</part-name></score-part>" }.joined()
    let found = try #require(fault(X.document([X.attributes + X.note("C4 48")], parts: parts)))
    #expect(found.description.contains("more than 64 parts"))
  }

  @Test func largeElementsAreRefused() throws {
    let found = try #require(fault(X.document(["<note>" + String(repeating: "<dot/>", count: 100_001) + "</note>"])))
    #expect(found.description.contains("more than 100000 elements"))
    let names = (0..<3000).map { "<n\($0)/>" }.joined()
    #expect(try #require(fault(X.document([names]))).description.contains("more than 2000 names"))
  }

  /// Incompatible divisions need a common denominator beyond the limit.
  @Test func tooFineRhythmsAreRefused() throws {
    let divisions = [16_381, 16_369, 16_363].map {
      "<attributes><divisions>\($0)</divisions></attributes>" + X.note("C4 1")
    }
    #expect(try #require(fault(X.document([divisions.joined()]))).description.contains("too fine"))
  }

  @Test func faultsInsideABarAreBounded() throws {
    let cases: [(String, [String])] = [
      (
        X.note("C4 12") + "<backup><duration>99</duration></backup>" + X.note("D4 12"),
        ["a backup before the beginning of the bar"]
      ),
      (X.note("C4 -12") + X.note("D4 12"), ["a duration that is not positive"]),
      (X.note("C4") + X.note("D4 12"), ["a note without a duration"]),
      (
        X.note("C4 12").replacing("<octave>4", with: "<octave>44") + X.note("D4 12"),
        ["a note without a pitch that exists"]
      ),
      (
        "<attributes><time><beats>4</beats><beat-type>3</beat-type></time></attributes>" + X.note("D4 12"),
        ["a metre that is not supported"]
      ),
      (X.note("C4 12", "<staff>7</staff>") + X.note("D4 12"), ["staff 7"]),
    ]
    for (text, expected) in cases {
      let result = try read(X.document([X.attributes + text]))
      #expect(result.findings.count == expected.count, "\(text): \(result.findings)")
      for (finding, text) in zip(result.findings, expected) { #expect(finding.description.contains(text)) }
      #expect(result.score.notes().contains { $0.contains(":62:") })
    }
  }

  /// Five voices on one staff exceed the limit.
  @Test func voicesAreBounded() throws {
    let voices = (0..<5).map { _ in X.note("C4 48") }.joined(separator: "<backup><duration>48</duration></backup>")
    #expect(try #require(fault(X.document([X.attributes + voices]))).description.contains("5 voices"))
  }

  /// A title cannot change the place where it is shown, and is only a title.
  @Test func titlesAreNames() throws {
    let text = X.document(
      [X.attributes + X.note("C4 48")], head: "<work><work-title>../../etc/&#x202E;&#10;passwd</work-title></work>")
    let title = try read(text).score.title
    #expect(title == "../../etc/ passwd" || title == "../../etc/passwd")
  }

  /// Damaged documents are read or refused; none traps, and a score that is read is valid.
  @Test(arguments: 1...40) func mutatedFilesAreReadOrRefused(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let original = Array(
      X.document([
        X.attributes + X.note("C4 12") + X.note("E4 12", before: "<chord/>") + X.note("D4 36"),
        #"<barline location="left"><ending number="1" type="start"/></barline>"# + X.note("G4 48")
          + #"<barline location="right"><repeat direction="backward"/></barline>"#,
      ]).utf8)
    for _ in 0..<100 {
      var octets = original
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: 0..<octets.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: octets[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: octets.removeSubrange(place..<min(place + Int.random(in: 1..<40, using: &random), octets.count))
        case 2: octets.insert(contentsOf: original[..<Int.random(in: 1..<80, using: &random)], at: place)
        case 3: octets[place] = UInt8.random(in: 0x30...0x39, using: &random)
        default: octets.removeLast(Int.random(in: 0..<20, using: &random))
        }
        if octets.isEmpty { octets = [0x3C] }
      }
      do throws(ScoreFault) {
        let score = try ScoreImport(octets: octets, file: "x").score
        try score.validate()
        let route = try Route(score)
        _ = EventTable(score, along: route)
        _ = TempoPath(score, along: route)
        #expect(try Score(octets: score.octets) == score)
      } catch {
        #expect(!error.remedy.isEmpty)
      }
    }
  }
}
