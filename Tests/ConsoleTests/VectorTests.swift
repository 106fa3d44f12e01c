import ClockSync
import Foundation
import MusicalTime
import Rhythm
import Testing
import _TestSupport

/// Compares the JavaScript of the page with the Swift code from which it was ported. The Swift code writes test vectors into a file, and
/// node runs `Page/vectors.mjs` on this file.
@Suite struct VectorTests {
  static let node = ["/usr/bin/node", "/usr/local/bin/node"].first { FileManager.default.isExecutableFile(atPath: $0) }
  static let needsNode: Comment = "no node here: install the package nodejs"

  @Test(.enabled(if: node != nil, needsNode)) func scriptsAgreeWithSwift() async throws {
    let folder = try TemporaryFolder()
    let vectors = Vectors(
      clocks: ClockVector.all, tables: try TableVector.all(), chances: ChanceVector.all,
      instruments: try InstrumentVector.all(), routes: try RouteVector.all())
    let path = folder.path("vectors.json")
    try JSONEncoder().encode(vectors).write(to: URL(fileURLWithPath: path))
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Page/vectors.mjs")
      .path
    let child = try Child(try #require(Self.node), [script, path], name: "node", in: folder)
    let status = try await child.status()
    #expect(status == 0, "\(child.output)\(child.errors)")
    // The script prints how many tables it has compared. Without these checks, an empty file would pass.
    #expect(child.output.contains("tables: \(vectors.tables.count)"), "\(child.output)")
    #expect(child.output.contains("instruments: \(vectors.instruments.count)"), "\(child.output)")
    #expect(child.output.contains("bars: \(vectors.routes.reduce(0) { $0 + $1.places.count })"), "\(child.output)")
    #expect(vectors.instruments.count { $0.ranks != nil } >= 5 && vectors.instruments.contains { $0.ranks == nil })
    #expect(vectors.tables.count >= 10 && vectors.clocks.count >= 5)
  }
}

/// The contents of the file of vectors.
struct Vectors: Encodable {
  var clocks: [ClockVector]
  var tables: [TableVector]
  var chances: [ChanceVector]
  var instruments: [InstrumentVector]
  var routes: [RouteVector]
}
