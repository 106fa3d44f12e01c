import CZip
import Foundation
import ScoreFiles
import Scores
import Testing
import _TestSupport

@Suite struct CompressedFileTests {
  private static let container = """
    <?xml version="1.0" encoding="UTF-8"?><container><rootfiles><rootfile full-path="score.xml"/></rootfiles></container>
    """

  /// An archive with the entries in order.
  private func archive(_ entries: [(String, [UInt8])]) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tutti-test-\(UUID().uuidString).mxl")
    defer { try? FileManager.default.removeItem(at: folder) }
    var code: Int32 = 0
    let archive = try #require(zip_open(folder.path, Int32(ZIP_CREATE), &code))
    let buffers = entries.map { entry in
      let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(entry.1.count, 1))
      _ = buffer.initialize(from: entry.1)
      return buffer
    }
    defer { for buffer in buffers { buffer.deallocate() } }
    for (entry, buffer) in zip(entries, buffers) {
      let source = try #require(zip_source_buffer(archive, buffer.baseAddress, UInt64(entry.1.count), 0))
      #expect(zip_file_add(archive, entry.0, source, 0) >= 0)
    }
    #expect(zip_close(archive) == 0)
    return Array(try Data(contentsOf: folder))
  }

  private func fault(_ octets: [UInt8]) -> String {
    do throws(ScoreFault) {
      _ = try ScoreImport(octets: octets, file: "x.mxl")
      return ""
    } catch {
      return error.description
    }
  }

  @Test func scoreInAnArchiveIsRead() throws {
    let text = MusicXMLText.document([MusicXMLText.attributes + MusicXMLText.note("C4 48")])
    let octets = try archive([("META-INF/container.xml", Array(Self.container.utf8)), ("score.xml", Array(text.utf8))])
    #expect(try ScoreImport(octets: octets, file: "x.mxl").score.notes() == ["0:60:4"])
    // Cut anywhere, it is refused.
    for end in stride(from: 4, to: octets.count - 1, by: 7) { #expect(!fault(Array(octets[..<end])).isEmpty) }
  }

  @Test func bombsAreRefused() throws {
    let zeros = [UInt8](repeating: 0x20, count: 20 << 20)
    let bomb = try archive([("META-INF/container.xml", Array(Self.container.utf8)), ("score.xml", zeros)])
    #expect(bomb.count < 100_000)
    #expect(fault(bomb).contains("entry score.xml: is compressed more than 100 times"))
    let large = try archive([
      ("META-INF/container.xml", Array(Self.container.utf8)), ("score.xml", [UInt8](repeating: 0x20, count: 33 << 20)),
    ])
    #expect(fault(large).contains("use at most 33554432"))
  }

  @Test func archivesWithoutAScoreAreRefused() throws {
    #expect(fault(try archive([("a.txt", [65])])).contains("entry META-INF/container.xml: is missing"))
    #expect(fault(try archive([("META-INF/container.xml", Array("<container/>".utf8))])).contains("names no score"))
    let path = Self.container.replacing("score.xml", with: "../../../etc/passwd")
    #expect(
      fault(try archive([("META-INF/container.xml", Array(path.utf8))])).contains(
        "../../../etc/passwd: is missing in the archive"))
  }

  /// Damaged archives are read or refused.
  @Test(arguments: 1...20) func damageIsRefused(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let text = MusicXMLText.document([MusicXMLText.attributes + MusicXMLText.note("C4 48")])
    let original = try archive([
      ("META-INF/container.xml", Array(Self.container.utf8)), ("score.xml", Array(text.utf8)),
    ])
    for _ in 0..<50 {
      var octets = original
      for _ in 0..<3 {
        octets[Int.random(in: 4..<octets.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      _ = try? ScoreImport(octets: octets, file: "x.mxl")
    }
  }
}
