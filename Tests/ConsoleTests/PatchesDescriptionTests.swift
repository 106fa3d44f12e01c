import Rhythm
import Testing

@testable import Console

@Suite struct PatchesDescriptionTests {
  /// A patch that was chosen as the number `number`, and begins at `tick`.
  private func patch(_ number: UInt32, at tick: Int64) throws -> PatchDescription {
    let text = "name: test\ndescription: A test.\ntempo: 100\nplay:\n  always:\n    kick: x... .... .... ....\n"
    let patch = try PatchLoader.patch(from: text, file: "test")
    return PatchDescription(patch, name: "test", number: number, tick: tick)
  }

  @Test func previousPatchPlaysUntilTheNewestBegins() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    #expect(first.previous == nil)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: 300, passed: 300)
    #expect(second.previous?.number == 1 && second.firstRun == 5)
  }

  /// The second patch has not begun when the third one replaces it.
  @Test func replacedPatchDoesNotPlay() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: 300, passed: 300)
    let third = PatchesDescription(newest: try patch(3, at: 384), after: second, firstRun: 5, tick: 310, passed: 310)
    #expect(third.previous?.number == 1)
    let fourth = PatchesDescription(newest: try patch(4, at: 768), after: third, firstRun: 5, tick: 400, passed: 400)
    #expect(fourth.previous?.number == 3)
  }

  @Test func newestPatchPlaysAtOnceWithoutARhythm() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: .max, passed: 0)
    #expect(second.previous == nil)
  }

  /// In a new run, the ticks of the former run have no meaning.
  @Test func patchOfAnotherRunHasBegun() throws {
    let first = PatchesDescription(newest: try patch(1, at: 9000), after: nil, firstRun: 5, tick: 8900, passed: 8900)
    let second = PatchesDescription(newest: try patch(2, at: 96), after: first, firstRun: 6, tick: 10, passed: 10)
    #expect(second.previous?.number == 1)
  }

  /// The second patch begins at tick 384, whose step has been passed to the sound. The third one begins a bar later.
  @Test func patchWhoseFirstStepWasPassedToTheSoundPlays() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: 300, passed: 303)
    let third = PatchesDescription(newest: try patch(3, at: 480), after: second, firstRun: 5, tick: 382, passed: 385)
    #expect(third.previous?.number == 2)
  }
}
