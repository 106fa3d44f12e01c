import Rhythm
import Testing

@Suite struct DynamicTests {
  @Test func everyDynamicHasACharacterAndAVelocity() {
    #expect(Dynamic.allCases.map(\.character) == ["o", "x", "X"])
    #expect(Dynamic.allCases.map(\.velocity) == [56, 88, 120])
    for dynamic in Dynamic.allCases { #expect(Dynamic(dynamic.character) == dynamic) }
    #expect(Dynamic(".") == nil && Dynamic("O") == nil)
  }
}
