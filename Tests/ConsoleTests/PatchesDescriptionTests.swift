import Rhythm
import Testing

@testable import Console

/// Tests of ``PatchesDescription``: the newest patch, and the patch that plays until the newest one begins. A bar of the patches has 96
/// ticks.
///
/// `firstRun` is the first run of the series of runs that plays. `tick` is the tick that plays now. `passed` is the last tick that was
/// passed to the audio output.
@Suite struct PatchesDescriptionTests {
  /// The patch with the number `number`, which begins at `tick`.
  private func patch(_ number: UInt32, at tick: Int64) throws -> PatchDescription {
    let text = "name: test\ndescription: A test.\ntempo: 100\nplay:\n  always:\n    kick: x... .... .... ....\n"
    let patch = try PatchLoader.patch(from: text, file: "test")
    return PatchDescription(patch: patch, name: "test", number: number, tick: tick)
  }

  @Test func previousPatchPlaysUntilTheNewestBegins() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    #expect(first.previous == nil)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: 300, passed: 300)
    #expect(second.previous?.number == 1 && second.firstRun == 5)
  }

  /// The second patch has not begun when the third one replaces it, so the first patch plays until the third one begins.
  @Test func replacedPatchDoesNotPlay() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: 300, passed: 300)
    let third = PatchesDescription(newest: try patch(3, at: 384), after: second, firstRun: 5, tick: 310, passed: 310)
    #expect(third.previous?.number == 1)
    let fourth = PatchesDescription(newest: try patch(4, at: 768), after: third, firstRun: 5, tick: 400, passed: 400)
    #expect(fourth.previous?.number == 3)
  }

  /// The tick `Int64.max` means that no rhythm plays.
  @Test func newestPatchPlaysAtOnceWithoutARhythm() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: .max, passed: 0)
    #expect(second.previous == nil)
  }

  /// The first patch begins at tick 9000 of run 5. Run 6 does not continue run 5, so this tick has no meaning in run 6. The first patch
  /// counts as begun, and plays until the second one begins.
  @Test func patchOfAnotherRunHasBegun() throws {
    let first = PatchesDescription(newest: try patch(1, at: 9000), after: nil, firstRun: 5, tick: 8900, passed: 8900)
    let second = PatchesDescription(newest: try patch(2, at: 96), after: first, firstRun: 6, tick: 10, passed: 10)
    #expect(second.previous?.number == 1)
  }

  /// The step at tick 384, where the second patch begins, has been passed to the audio output already. Therefore the second patch plays
  /// until the third one begins, a bar later.
  @Test func patchWhoseFirstStepWasPassedToTheSoundPlays() throws {
    let first = PatchesDescription(newest: try patch(1, at: 0), after: nil, firstRun: 5, tick: 0, passed: 0)
    let second = PatchesDescription(newest: try patch(2, at: 384), after: first, firstRun: 5, tick: 300, passed: 303)
    let third = PatchesDescription(newest: try patch(3, at: 480), after: second, firstRun: 5, tick: 382, passed: 385)
    #expect(third.previous?.number == 2)
  }
}
