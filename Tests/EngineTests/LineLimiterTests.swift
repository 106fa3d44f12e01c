import MusicalTime
import Testing

@testable import Engine

/// Tests of the limit of log lines that remote peers can cause, in virtual time.
@Suite struct LineLimiterTests {
  private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  /// A master toggles mute 90 times per second for a minute.
  @Test func repeatedLinesAreCounted() {
    var limiter = LineLimiter()
    var lines: [(second: Int, line: String)] = []
    for number in 0..<5400 {
      let now = instant(Double(number) / 90)
      lines += limiter.due(at: now).map { (number / 90, $0) }
      let line = "line \(number)"
      if limiter.admits(line, .mute, of: "Ada", at: now) { lines.append((number / 90, line)) }
    }
    #expect(
      lines.map(\.line).filter { $0.hasPrefix("line") }.map { $0.dropFirst(5) } == [
        "0", "1", "2", "3", "4", "900", "901", "902", "903", "904", "2700", "2701", "2702", "2703", "2704",
      ])
    // The times last 10 s, 20 s and 40 s.
    #expect(
      lines.filter { $0.line.hasPrefix("Ada") }.map { "\($0.second) \($0.line)" } == [
        "10 Ada: 895 more lines about muted notes in 10 s; the last one: line 899",
        "30 Ada: 1795 more lines about muted notes in 20 s; the last one: line 2699",
      ])
    #expect(limiter.rest() == ["Ada: 2695 more lines about muted notes in 40 s; the last one: line 5399"])
  }

  /// The first line of a topic or a subject is printed at once, whatever others do.
  @Test func otherSubjectsAndTopicsAreNotDelayed() {
    var limiter = LineLimiter()
    for _ in 0..<1000 { _ = limiter.admits("x", .mute, of: "Ada", at: instant(0)) }
    #expect(limiter.admits("x", .mute, of: "Ben", at: instant(0)) == true)
    #expect(limiter.admits("x", .role, of: "Ada", at: instant(0)) == true)
  }

  /// Five lines in ten seconds are printed and not reported.
  @Test func rareLinesArePrinted() {
    var limiter = LineLimiter()
    for number in 0..<60 {
      let now = instant(Double(number) * 2.5)
      #expect(limiter.due(at: now) == [])
      #expect(limiter.admits("x", .sessions, of: "Ada", at: now) == true)
    }
  }

  /// A thousand new subjects per second for twenty minutes: 64 lines, one line per second, and the reports.
  @Test func linesOfManySubjectsAreLimited() {
    var limiter = LineLimiter()
    var printed = 0
    for number in 0..<1_200_000 {
      let now = instant(Double(number) / 1000)
      printed += limiter.due(at: now).count
      if limiter.admits("x", .sessions, of: "peer \(number)", at: now) { printed += 1 }
    }
    #expect(printed > 64 && printed < 64 + 1200 + 50, "\(printed)")
  }

  /// After a command of the local player, the lines that it causes are printed.
  @Test func linesOfOwnActionsArePrinted() {
    var limiter = LineLimiter()
    for _ in 0..<10 { _ = limiter.admits("flood", .role, of: "the rhythm", at: instant(1)) }
    #expect(
      limiter.begin(.role, at: instant(3)) == [
        "the rhythm: 5 more lines about the role of master in 2 s; the last one: flood"
      ])
    #expect(limiter.admits("own", .role, of: "the rhythm", at: instant(3)) == true)
    #expect(limiter.begin(.role, at: instant(4)) == [] && limiter.rest() == [])
  }
}
