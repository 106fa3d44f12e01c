import Foundation
import Testing
import _TestSupport
import _TestTraits

@testable import tutti

/// Tests of the output of `tutti demo`. ``TimingTests`` tests the figures that the demo measures.
@Suite(.serialized, .ownThreads) struct DemoTests {
  private let arguments = ["demo", "--peers", "2", "--bars", "2", "--output", "d"]

  /// Without a terminal, the demo writes a line whenever the set of sounding layers changes. The activity rises to the maximum, 127, so
  /// the layer `from 112` of `street` sounds at the end.
  @Test func linesStateTheLayersWithoutATerminal() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Child.tutti(arguments, in: folder).outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("bar ") }
    #expect(lines.first?.hasPrefix("bar 1, activity 0  2 of 14 layers: always, to 27") == true, "\(lines)")
    #expect(lines.last?.hasPrefix("bar 2, ") == true && lines.last?.hasSuffix("from 112") == true, "\(lines)")
    #expect(lines.count > 2 && Set(lines).count == lines.count, "\(lines)")
    #expect(!outcome.errors.contains("\u{1B}"))
    // Two bars have 192 ticks.
    let result = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      try #/2 peers played together\. The largest difference was \d+\.\d+ ms(; 2 ms can be heard|, which .*)\..*/#
        .wholeMatch(in: result[0]) != nil, "\(outcome.output)")
    #expect(result[1] == "Listen: d/mix.wav")
    #expect(outcome.output.contains(#/peer 2  follower  \d+ of 192 /#), "\(outcome.output)")
    #expect(result.allSatisfy { $0.count <= 80 }, "\(outcome.output)")
    #expect(FileManager.default.fileExists(atPath: folder.path("d/mix.wav")))
  }

  /// An earlier demo has left its trace, which ends at tick 5000 with the activity 127. The demo shows nothing of it.
  @Test func earlierDemoInTheFolderIsNotShown() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("d"), withIntermediateDirectories: false)
    let tick = #"{"tick":5000,"due":1,"acted":2,"offset":null,"uncertainty":null,"activity":127}"#
    try "{\"tutti_trace\":1}\n\(tick)\n".write(
      toFile: folder.path("d/peer-1.trace"), atomically: false, encoding: .utf8)
    let outcome = try await Child.tutti(arguments, in: folder).outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("bar ") }
    #expect(lines.first?.hasPrefix("bar 1, activity 0 ") == true, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("bar 1, ") || $0.hasPrefix("bar 2, ") }, "\(lines)")
  }

  /// Ctrl-C lets the master stop the rhythm, so that all peers play the same ticks and hits.
  @Test func figuresOfAnInterruptedDemoAgree() async throws {
    let folder = try TemporaryFolder()
    let child = try Child.tutti(["demo", "--peers", "3", "--bars", "100", "--output", "d", "--json"], in: folder)
    let trace = folder.path("d/peer-1.trace")
    try await child.wait(for: "to play a bar") { (DemoPosition(trace: trace)?.tick ?? 0) > 96 }
    child.signal(SIGINT)
    let outcome = try await child.outcome()
    #expect(outcome.status == 130, "\(outcome.errors)")
    let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let peers = try #require(report["peers"] as? [[String: Any]])
    for key in ["ticks_expected", "onsets_expected"] {
      #expect(Set(peers.compactMap { $0[key] as? Int }).count == 1, "\(key): \(peers)")
    }
    #expect(peers.allSatisfy { ($0["onsets_missing"] as? Int) == 0 && ($0["onsets_extra"] as? Int) == 0 }, "\(peers)")
  }

  /// The figures of --details are those of the former table.
  @Test func detailsAreInMicroseconds() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Child.tutti(arguments + ["--details"], in: folder).outcome()
    #expect(outcome.output.contains("clock p50") && outcome.output.contains("scheduler"), "\(outcome.output)")
  }

  /// A star marks a layer that sounds: first `to 27`, because the activity rises from 0, and at the end `from 112`.
  @Test func terminalShowsTheGrid() async throws {
    let folder = try TemporaryFolder()
    let session = try TerminalSession(columns: 80, in: folder, arguments)
    try await session.wait(for: "* to 27           stick       .... X... .... X...")
    #expect(session.screen.text.contains("  from 112        cowbell"), "\(session.screen.text)")
    try await session.wait(for: "* from 112        cowbell     x... .... x... ....")
    #expect(session.screen.text.contains("  to 27           stick"), "\(session.screen.text)")
    // The grid is removed before the table is printed.
    try await session.child.wait(for: "to end") {
      session.update()
      return !session.child.isRunning
    }
    session.update()
    #expect(!session.screen.text.contains { $0.contains("layers") || $0.hasPrefix("* ") }, "\(session.screen.text)")
    #expect(session.screen.text.contains { $0.hasPrefix("peer 2  follower") }, "\(session.screen.text)")
  }
}
