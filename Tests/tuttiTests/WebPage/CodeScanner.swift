import Foundation
import _TestSupport

/// Reads QR codes from lines of a terminal with zbar, an independent decoder (https://github.com/mchehab/zbar).
struct CodeScanner {
  /// The width and the height of a module (a square of the code) in pixels.
  private static let scale = 6
  /// The width of the terminal's background around the code, in modules.
  private static let margin = 3

  private let program: String
  private let folder: TemporaryFolder

  /// - Throws: ``Unavailable`` if zbarimg is missing.
  init(in folder: TemporaryFolder) throws {
    program = try Program.find("zbarimg", package: "zbar-tools")
    self.folder = folder
  }

  /// Returns the texts of the codes in `lines`, as a terminal shows them.
  ///
  /// - Parameter background: the grey value of the terminal's background, 0 (black) or 255 (white).
  func texts(in lines: [String], background: UInt8) async throws -> [String] {
    let rows = lines.flatMap { Self.pixels(of: $0) }
    let width = (rows.map(\.count).max() ?? 0) + 2 * Self.margin
    let blank = [UInt8](repeating: background, count: width)
    let padded = rows.map { row -> [UInt8] in
      let left = [UInt8](repeating: background, count: Self.margin) + row.map { $0 ?? background }
      return left + [UInt8](repeating: background, count: width - left.count)
    }
    let margin = [[UInt8]](repeating: blank, count: Self.margin)
    let image = (margin + padded + margin).flatMap { row in
      [[UInt8]](repeating: row.flatMap { [UInt8](repeating: $0, count: Self.scale) }, count: Self.scale)
    }
    var file = Data("P5 \(width * Self.scale) \(image.count) 255\n".utf8)
    for row in image { file.append(contentsOf: row) }
    let path = folder.path("code.pgm")
    try file.write(to: URL(fileURLWithPath: path))
    let child = try Child(program, ["--quiet", "--raw", path], name: "zbarimg-\(UUID().uuidString)", in: folder)
    // The status 4 means that there is no code (zbarimg(1)).
    let status = try await child.status()
    guard status == 0 || status == 4 else {
      throw Failure(description: "zbarimg ended with \(status): \(child.errors)")
    }
    return child.output.split(separator: "\n").map(String.init)
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Returns the two rows of modules in a line: the upper and the lower halves of its characters. A value is a grey value, or nil
  /// for the background of the terminal.
  private static func pixels(of line: String) -> [[UInt8?]] {
    var (upper, lower): ([UInt8?], [UInt8?]) = ([], [])
    var (foreground, background): (UInt8?, UInt8?) = (nil, nil)
    var rest = line[...]
    while let character = rest.popFirst() {
      if character == "\u{1B}" {
        let sequence = rest.prefix { $0 != "m" }
        rest = rest.dropFirst(sequence.count + 1)
        (foreground, background) = colours(String(sequence.dropFirst()))
        continue
      }
      upper.append(character == "█" || character == "▀" ? foreground : background)
      lower.append(character == "█" || character == "▄" ? foreground : background)
    }
    return [upper, lower]
  }

  /// Returns the grey values of the colours that the parameters of SGR (ECMA-48, section 8.3.117) select from the 256 colours of
  /// xterm. Only 16 (black) and 231 (white) occur.
  private static func colours(_ parameters: String) -> (foreground: UInt8?, background: UInt8?) {
    func value(after prefix: String) -> UInt8? {
      guard let range = parameters.range(of: prefix) else { return nil }
      return ["16": 0, "231": 255][String(parameters[range.upperBound...].prefix { $0 != ";" })]
    }
    return (value(after: "38;5;"), value(after: "48;5;"))
  }
}
