import CExpat
import Foundation
import ScoreFiles
import Scores

/// The time and the memory of imports, compared with expat's own parse of the same octets.
enum ImportTime {
  /// Measures the largest uncompressed files in pairs: expat without handlers, then the import, nine times.
  static func measure(_ files: [String], _ root: String) throws {
    let sized = try files.map { file in
      (file, Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(file)"))))
    }
    let largest = sized.filter { !$0.0.hasSuffix(".mxl") }.sorted { $0.1.count > $1.1.count }.prefix(10)
    let clock = ContinuousClock()
    print("file, octets, expat ms, import ms, ratio (medians of 9 pairs)")
    for (file, octets) in largest {
      var pairs: [(expat: Double, whole: Double)] = []
      for _ in 0..<9 {
        let expat = clock.measure { parse(octets) }
        let whole = try clock.measure { _ = try ScoreImport(octets: octets, file: file) }
        pairs.append((milliseconds(expat), milliseconds(whole)))
      }
      func median(_ list: [Double]) -> Double { list.sorted()[list.count / 2] }
      print(
        String(
          format: "%@ %d %.2f %.2f %.2f", file, octets.count, median(pairs.map(\.expat)), median(pairs.map(\.whole)),
          median(pairs.map { $0.whole / $0.expat })))
    }
    print("peak memory of the process: \(peak()) kB")
  }

  private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

  /// expat with handlers that do nothing, as the least that any reader needs.
  private static func parse(_ octets: [UInt8]) {
    guard let parser = XML_ParserCreate(nil) else { return }
    defer { XML_ParserFree(parser) }
    XML_SetElementHandler(parser, { _, _, _ in }, { _, _ in })
    XML_SetCharacterDataHandler(parser) { _, _, _ in }
    octets.withUnsafeBytes { buffer in
      _ = XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, Int32(buffer.count), 1)
    }
  }

  /// The largest resident set of the process so far in kB.
  private static func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
