import Testing

@testable import Rhythm

/// The characters, velocities and codes of strokes.
@Suite struct StrokeTests {
  @Test func everyStrokeHasACharacterAndAVelocity() {
    #expect(Stroke.allCases.map(\.character) == ["o", "x", "X", "f", "F"])
    #expect(Stroke.allCases.map(\.velocity) == [56, 88, 120, 88, 120])
    #expect(Stroke.allCases.map(\.isFlam) == [false, false, false, true, true])
    for stroke in Stroke.allCases { #expect(Stroke(stroke.character) == stroke) }
    #expect(Stroke(".") == nil && Stroke("O") == nil && Stroke("x\u{301}") == nil && Stroke("\r\n") == nil)
  }

  /// The codes of the five strokes are 1 to 5. In a step table, the code 0 is a rest.
  @Test func codesAreTheRawValues() {
    for stroke in Stroke.allCases { #expect(Stroke(code: stroke.rawValue) == stroke) }
    #expect(Stroke(code: 0) == nil && Stroke(code: 6) == nil)
  }
}
