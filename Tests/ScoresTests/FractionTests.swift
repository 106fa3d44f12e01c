import Scores
import Testing
import _TestSupport

@Suite struct FractionTests {
  private func random(_ random: inout SplitMix) throws -> Fraction {
    try #require(Fraction(Int64.random(in: -1000...1000, using: &random), Int64.random(in: 1...1000, using: &random)))
  }

  @Test func isReduced() throws {
    let fraction = try #require(Fraction(6, -8))
    #expect(fraction.numerator == -3 && fraction.denominator == 4 && fraction.description == "-3/4")
    #expect(Fraction(0, 5) == .zero && Fraction(1, 0) == nil && Fraction(.min, 3) == nil)
  }

  /// The laws of a field, and the order, compared with cross products of 128 bits.
  @Test(arguments: 1...20) func obeysTheLaws(seed: Int) throws {
    var source = SplitMix(seed: UInt64(seed))
    for _ in 0..<500 {
      let (a, b, c) = (try random(&source), try random(&source), try random(&source))
      #expect(try a + b == b + a)
      #expect(try (a + b) + c == a + (b + c))
      #expect(try a * (b + c) == a * b + a * c)
      #expect(try a - a == .zero)
      if b != .zero { #expect(try a / b * b == a) }
      #expect((a < b) == (Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)))
    }
  }

  @Test func overflowIsAnError() throws {
    let large = try #require(Fraction(Int64.max, 1))
    #expect(throws: FractionError.self) { try large + Fraction(1) }
    #expect(throws: FractionError.self) { try large * large }
    let fine = try #require(Fraction(1, 1 << 40))
    let other = try #require(Fraction(1, 3_486_784_401))
    #expect(throws: FractionError.self) { try fine + other }
    #expect(throws: FractionError.self) { try Fraction(1) / .zero }
  }

  @Test func roundsToTheNearest() throws {
    #expect(try #require(Fraction(1, 5)).rounded(times: 24_000) == 4800)
    #expect(try #require(Fraction(1, 7)).rounded(times: 24_000) == 3429)
    #expect(try #require(Fraction(-1, 2)).rounded(times: 1) == 0)
    #expect(try #require(Fraction(-1, 3)).floor(times: 1) == -1)
    #expect(try #require(Fraction(Int64.max, 1)).rounded(times: .max) == .max)
  }

  @Test func noteValuesHaveTheirLengths() throws {
    #expect(try #require(NoteValue(halvings: 2)).length == Fraction(1))
    #expect(try #require(NoteValue(halvings: 1, dots: 1)).length == Fraction(3))
    #expect(try #require(NoteValue(halvings: 3, dots: 2)).length == Fraction(7, 8))
    #expect(try #require(NoteValue(halvings: -1)).length == Fraction(8))
    for halvings in -3...10 {
      for dots in 0...2 {
        let value = try #require(NoteValue(halvings: halvings, dots: dots))
        #expect(NoteValue(length: value.length) == value)
      }
    }
    #expect(NoteValue(length: try #require(Fraction(5, 4))) == nil)
  }
}
