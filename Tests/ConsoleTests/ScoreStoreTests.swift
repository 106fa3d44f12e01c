import Foundation
import MusicalTime
import NIOCore
import NIOEmbedded
import PeerProtocol
import ScoreFiles
import Scores
import Testing

@_spi(Fuzzing) @testable import Console
@testable import Engine

/// Tests of the parts of scores that pages request, and of the frames `score` and `route`.
@Suite struct ScoreStoreTests {
  private static let digest = DocumentDigest(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)!

  /// A score of the project.
  private static func score(_ name: String = "evening-hymn") throws -> Score {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appendingPathComponent("Patches/scores/\(name).musicxml")
    return try ScoreImport(octets: [UInt8](Data(contentsOf: file)), file: name).score
  }

  private static func snapshot(_ score: Score?) throws -> PeerSnapshot {
    var snapshot = try PeerSnapshot.idle()
    snapshot.stand = PeerSnapshot.Stand(
      digest: digest, name: "hymn", score: score, levels: score.map { $0.parts.map { _ in 100 } } ?? [],
      lines: [.init(tick: Tick(0), line: ScoreLine(digest))])
    return snapshot
  }

  private static func request(_ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost:\(EmbeddedServer.port)\r\n\r\n"
  }

  @Test func pathsNamePartWidthZoomAndTransposition() {
    let digits = "0123456789abcdeffedcba9876543210"
    let request = ScoreStore.Request(path: "/score/\(digits)/2/390/125/-2.svg")
    #expect(request?.digest == Self.digest)
    #expect(request.map { [$0.part, $0.width, $0.zoom, $0.transposition] } == [2, 390, 125, -2])
    for path in [
      "/score/\(digits)/2/390/125/-2", "/score/\(digits)/2/390/125.svg", "/score/\(digits)/64/390/125/0.svg",
      "/score/\(digits)/-1/390/125/0.svg", "/score/\(digits)/0/49/125/0.svg", "/score/\(digits)/0/20001/125/0.svg",
      "/score/\(digits)/0/390/39/0.svg", "/score/\(digits)/0/390/401/0.svg", "/score/\(digits)/0/390/125/25.svg",
      "/score/\(digits.dropLast())/0/390/125/0.svg", "/score/\(digits.uppercased())/0/390/125/0.svg",
      "/score/\(digits)/0/390/125/0/0.svg", "/score/\(digits)/a/390/125/0.svg", "/score/../0/390/125/0.svg",
      "/score/\(String(repeating: "0", count: 32))/0/390/125/0.svg",
      "/score/\(digits)/99999999999999999999/390/125/0.svg",
    ] { #expect(ScoreStore.Request(path: path) == nil, "\(path)") }
  }

  @Test func pagesGetAPartAsSoonAsItIsEngraved() throws {
    let server = try EmbeddedServer()
    server.server.update(try Self.snapshot(try Self.score()))
    server.loop.run()
    let path = "/score/\(Self.digest)/0/390/100/0.svg"
    let first = try server.ask(Self.request(path))
    #expect(first.text.hasPrefix("HTTP/1.1 202 "), "\(first.text.prefix(80))")
    var answer = first
    for _ in 0..<500 where answer.text.hasPrefix("HTTP/1.1 202 ") {
      // The part is engraved on another thread.
      Thread.sleep(forTimeInterval: 0.02)
      answer = try server.ask(Self.request(path))
    }
    #expect(answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer.text.prefix(80))")
    #expect(answer.text.contains("image/svg+xml") && answer.text.contains("immutable"))
    // Every bar and every note of the part is there once, with its id.
    let score = try Self.score()
    for bar in score.bars { #expect(answer.text.components(separatedBy: "id=\"b\(bar.id)\"").count == 2) }
    for note in score.parts[0].bars.flatMap({ $0.voices.flatMap { $0.chords.flatMap(\.notes) } }) {
      #expect(answer.text.components(separatedBy: "id=\"n\(note.id)\"").count == 2, "note \(note.id)")
    }
  }

  @Test func unknownScoresAndPartsAreRefused() throws {
    let server = try EmbeddedServer()
    let path = "/score/\(Self.digest)/0/390/100/0.svg"
    #expect(try server.ask(Self.request(path)).text.hasPrefix("HTTP/1.1 404 "))
    server.server.update(try Self.snapshot(try Self.score()))
    server.loop.run()
    let beyond = "/score/\(Self.digest)/63/390/100/0.svg"
    #expect(try server.ask(Self.request(beyond)).text.hasPrefix("HTTP/1.1 404 "))
    #expect(try server.ask(Self.request("/score/etc.otf")).text.hasPrefix("HTTP/1.1 404 "))
    let font = try server.ask(Self.request("/score/roman.otf"))
    #expect(font.text.hasPrefix("HTTP/1.1 200 ") && font.octets.count > 10_000)
  }

  @Test func framesDescribeTheScoreAndItsBars() throws {
    let state = SharedState()
    _ = state.update(try PeerSnapshot.idle())
    let none = try #require(state.payloads[.score]?.octets)
    #expect(!String(buffer: none).contains("digest"))
    // The score is on its way.
    var changed = state.update(try Self.snapshot(nil))
    #expect(changed.contains(.score))
    #expect(String(buffer: try #require(state.payloads[.score]?.octets)).contains("\"isHere\":false"))
    let score = try Self.score("two-endings")
    let snapshot = try Self.snapshot(score)
    changed = state.update(snapshot)
    #expect(changed.contains(.score) && changed.contains(.route))
    let description = try JSONDecoder().decode(Described.self, from: Self.data(state, .score))
    #expect(description.digest == "\(Self.digest)" && description.parts.count == score.parts.count)
    #expect(description.bars == score.bars.map(\.number))
    let route = try JSONDecoder().decode(Routed.self, from: Self.data(state, .route))
    guard let line = route.lines.first else {
      Issue.record("no line")
      return
    }
    let expected = try Route(score)
    #expect(line.bars == expected.bars.map(\.bar) && line.bars.count > score.bars.count)
    #expect(line.starts.count == line.bars.count + 1 && line.loop == 0)
    // The same snapshot changes nothing.
    changed = state.update(snapshot)
    #expect(!changed.contains(.score) && !changed.contains(.route))
    var quieter = snapshot
    quieter.stand?.levels[0] = 0
    changed = state.update(quieter)
    #expect(changed.contains(.score) && !changed.contains(.route))
  }

  private static func data(_ state: SharedState, _ kind: FrameKind) throws -> Data {
    let octets = try #require(state.payloads[kind]?.octets)
    return Data(octets.readableBytesView)
  }

  private struct Described: Decodable {
    struct Part: Decodable { var name: String }
    var digest: String
    var parts: [Part]
    var bars: [String]
  }

  private struct Routed: Decodable {
    struct Line: Decodable {
      var bars: [Int]
      var starts: [Double]
      var loop: Int
    }
    var lines: [Line]
  }
}
