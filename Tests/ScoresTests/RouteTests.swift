import Scores
import Testing
import _TestSupport

@Suite struct RouteTests {
  /// Written by hand: bars with their signs, and the order in which they sound.
  static let cases: [(String, String)] = [
    // Repeats.
    ("a b c", "abc"), ("a b:|", "abab"), ("a |:b c:| d", "abcbcd"), ("|:a:| |:b:|", "aabb"), ("a:| b:|", "aabb"),
    ("a b:|3", "ababab"), ("|:a b:|4 c", "ababababc"), ("a b c:|", "abcabc"), ("|:a b", "ab"), ("a b |:c:|", "abcc"),
    ("|:a:|2 |:b:|3 c", "aabbbc"), ("|:a |:b:| c:|", "abbcc"),
    // Endings.
    ("|:a [1:b]:| [2:c] d", "abacd"), ("a [1:b]:| [2:c)", "abac"), ("|:a [1:b]:| [2:c]:| [3:d)", "abacad"),
    ("|:a [1,2:b]:| [3:c)", "ababac"), ("|:a [1,3:b]:| [2:c]:| [4:d)", "abacabad"), ("|:a [1:b c]:| [2:d e)", "abcade"),
    ("|:a [1:b]:| c", "abac"), ("a b |:c d:| |:e [1:f]:| [2:g)", "abcdcdefeg"), ("[1:a]:| [2:b)", "ab"),
    ("|:a [1-3:b]:| [4:c)", "abababac"), ("|:a:| |:b [1:c]:| [2:d] |:e:|", "aabcbdee"), ("|:a [1:b) c", "abc"),
    ("|:a [1:b]:| [2:c]:| d", "abacd"), ("|:a [1,2:b]:| c", "ababac"), ("|:a [2:b]:| [1:c]:| [3:d)", "acabad"),
    ("|:a [1,4,5:b]:| [2:c]:| [3:d]:|", "abacadabab"),
    // D.C. and Fine.
    ("a b.dc", "abab"), ("a.fine b.dc", "aba"), ("a.fine", "a"), ("a.dc", "aa"), ("a b.dc c", "ababc"),
    ("a b.dc c.dc", "ababcabc"), ("|:a:| b.fine c.dc", "aabcab"), ("|:a:|! b.fine c.dc", "aabcaab"),
    ("|:a [1:b]:| [2:c] d.fine e.dc", "abacdeacd"), ("|:a [1:b]:| [2:c.fine] d.dc", "abacdac"),
    ("a |:b.fine:| c.dc", "abbcab"), ("a |:b.fine:|! c.dc", "abbcabb"), ("a |:b:|! c.dc", "abbcabbc"),
    ("|:a [1:b]:| [2:c.dc] d", "abacacd"), ("|:a [1:b.dc] [2:c)", "abac"),
    ("a |:b [1:c]:|! [2:d] e.fine f.dc", "abcbdefabcbde"),
    // D.S.
    ("a $b c.fine d.ds", "abcdbc"), ("$a b.ds c", "ababc"), ("a b.ds", "ab"), ("a $b.fine c.ds d", "abcb"),
    ("a |:$b c:| d.ds e", "abcbcdbcde"),
    // Coda.
    ("a b.coda c.dc @d e", "abcabde"), ("a $b c.coda d.ds @e", "abcdbce"), ("a |:b:| @c", "abbc"),
    ("a.coda b.dc @c", "abac"),
    ("a.coda b.dc |:@c:| d", "abaccd"), ("$a b.coda c.ds @d e.fine f", "abcabde"),
    ("a |:b [1:c]:| [2:d] e.coda f.dc @g", "abcbdefabdeg"), ("|:a b.coda:| c.dc @d", "ababcabd"),
    ("|:a.coda b:| c.dc @d", "ababcad"), ("a $b c.coda d |:e:| f.ds @g h", "abcdeefbcgh"),
    ("a $b c.coda |:d:| e.ds @f:|", "abcddebcff"), ("$a b.coda c.ds |:@d:| e", "abcabdde"),
    ("a.coda b:| c.dc @d", "ababcad"),
    ("a |:b.coda:|! c.dc @d", "abbcabbd"),
  ]

  @Test(arguments: cases) func followsTheWrittenOrder(text: String, expected: String) throws {
    let score = bars(text)
    try score.validate()
    #expect(score.names(try Route(score)) == expected, "\(text)")
  }

  /// The golden files of partitura (tests/data/musicxml/test_unfold_*_result.xml), transcribed. partitura takes all repeats after D.C.; a
  /// file says so with `after-jump`, which is `!` here.
  @Test(arguments: [
    ("|:a:|", "aa"),
    ("a:|! b |:c d.fine [1:e]:|! [2:f g]:|! [3:h.dc]", "aabcdecdfgcdhaabcd"),
    ("a b:|! |:c d.fine:|! |:e f:|! |:g h.dc:|!", "ababcdcdefefghghababcdcd"),
    ("a:| b |:c d [1,4,5:e]:| [2:f g]:| [3:h]:|", "aabcdecdfgcdhcdecde"),
  ])
  func agreesWithPartitura(text: String, expected: String) throws {
    let score = bars(text)
    #expect(score.names(try Route(score)) == expected)
  }

  /// Without `after-jump`, the same music after D.C. has no repeats.
  @Test func repeatsAreNotTakenAfterDaCapo() throws {
    let score = bars("a:| b |:c d.fine [1:e]:| [2:f g]:| [3:h.dc]")
    #expect(score.names(try Route(score)) == "aabcdecdfgcdhabcd")
  }

  @Test func thereAreAtLeastSixtyCases() {
    #expect(Self.cases.count >= 60)
    #expect(Set(Self.cases.map(\.0)).count == Self.cases.count)
  }

  /// Passes are counted within their section.
  @Test func passesAreCounted() throws {
    let route = try Route(bars("a |:b [1:c]:| [2:d] e"))
    #expect(route.bars.map(\.pass) == [1, 1, 1, 2, 2, 1])
  }

  /// Positions grow by the length of each bar, and the bar at each position is found.
  @Test func positionsAreSums() throws {
    let score = bars("a |:b c:| d", length: try #require(Fraction(7, 2)))
    let route = try Route(score)
    for (index, bar) in route.bars.enumerated() {
      // The bars of 7/8 are shorter than the metre 4/4, so that the first one is padded.
      #expect(try bar.start == Fraction(1, 2)! + Fraction(Int64(index) * 7, 2)!)
      #expect(route.playedBar(at: bar.start) == index)
    }
    #expect(route.playedBar(at: route.end) == nil && route.playedBar(at: .zero) == nil)
  }

  @Test func pickUpIsPadded() throws {
    var score = bars("a b c")
    score.bars[0].length = Fraction(1)
    score.bars[0].isImplicit = true
    let route = try Route(score)
    #expect(route.padding == Fraction(3) && route.bars.map(\.start) == [Fraction(3), Fraction(4), Fraction(8)])
    #expect(route.tick(ofPlayedBar: 1).index == 96)
    // A bar that a repeat divides is no pick-up.
    (score.bars[1].length, score.bars[1].isImplicit) = (Fraction(3), true)
    #expect(try Route(score).padding == .zero)
    score.bars[1].length = Fraction(2)
    #expect(try Route(score).padding == Fraction(1))
  }

  /// 100 times 100 bars of repeats in 200 sections are too long, and refused at once.
  @Test func longRoutesAreRefused() {
    let text = Array(repeating: "|:a b c d e f:|100", count: 200).joined(separator: " ")
    #expect(throws: ScoreFault.self) { try Route(bars(text)) }
  }

  /// A bar of 6000 chords, played a thousand times, has too many notes.
  @Test func fullRoutesAreRefused() throws {
    var score = bars(Array(repeating: "a:|100", count: 10).joined(separator: " "))
    for bar in 0..<10 {
      let chords = (0..<6000).map { Chord(onset: Fraction(Int64($0), 2000)!, length: Fraction(1, 2000)!) }
      score.parts[0].bars[bar].voices = [Voice(number: 1, chords: chords)]
    }
    try score.validate()
    let fault = #expect(throws: ScoreFault.self) { try Route(score) }
    #expect(fault?.description.contains("notes and rests with all repeats") == true)
  }

  /// Random signs: the walk ends, and each played bar follows the one before or begins a section, an ending, a coda or a segno.
  @Test(arguments: 1...200) func randomSignsEnd(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var score = bars(Array(repeating: "a", count: Int.random(in: 1...40, using: &random)).joined(separator: " "))
    for index in score.bars.indices {
      func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
      score.bars[index].beginsRepeat = chance(15)
      if chance(15) {
        score.bars[index].repeatEnd = .init(
          times: UInt8.random(in: 2...5, using: &random), isTakenAfterJump: chance(30))
      }
      if chance(15) { score.bars[index].ending = [UInt8.random(in: 1...3, using: &random)] }
      if chance(15) { score.bars[index].endingEnd = chance(50) ? .stop : .discontinue }
      if chance(5) { score.bars[index].segno = "segno" }
      if chance(5) { score.bars[index].coda = "coda" }
      if chance(5) { score.bars[index].toCoda = "coda" }
      if chance(5) { score.bars[index].isFine = true }
      if chance(5) { score.bars[index].jump = chance(50) ? .daCapo : .dalSegno("segno") }
    }
    try score.validate()
    let route = try Route(score)
    #expect(route.bars.first?.bar != nil && route.bars.count <= 20_000)
    #expect(route.bars.allSatisfy { $0.pass >= 1 })
  }
}
