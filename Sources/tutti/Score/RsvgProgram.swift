import Foundation

/// The program rsvg-convert, which turns SVG into PDF. It is optional.
struct RsvgProgram {
  private let program: URL

  /// Finds the program in the folders of PATH.
  ///
  /// - Throws: ``CommandError`` if it is missing.
  init() throws(CommandError) {
    guard let program = InstalledProgram.find("rsvg-convert") else {
      throw CommandError(
        "rsvg-convert: is not installed; install the package librsvg2-bin, or give --output a file that ends with .svg")
    }
    self.program = program
  }

  /// Writes a PDF file with a page for each SVG document. An existing file is replaced only when the new one is complete.
  ///
  /// - Throws: ``CommandError`` if a file cannot be written or the program reports an error.
  func writePDF(_ pages: [[UInt8]], to path: String) throws {
    guard !pages.isEmpty else {
      throw CommandError("\(path): the part has no bars, so there is no page; give another part", status: .badData)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tutti-pages-\(UUID().uuidString)")
    let result = folder.appendingPathComponent("result.pdf")
    var files: [String] = []
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (index, page) in pages.enumerated() {
        let file = folder.appendingPathComponent("\(index + 1).svg")
        try Data(page).write(to: file)
        files.append(file.path)
      }
    } catch {
      throw CommandError("\(folder.path): cannot be written (\(error.reason)); make space in the temporary folder")
    }
    let process = Process()
    let errors = Pipe()
    process.executableURL = program
    process.arguments = ["--format", "pdf", "--output", result.path] + files
    (process.standardInput, process.standardError) = (FileHandle.nullDevice, errors)
    process.standardOutput = FileHandle.nullDevice
    let messages: Data
    do {
      try process.run()
      messages = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
    } catch {
      throw CommandError(
        "\(program.path): cannot be executed (\(error.reason)); install the package librsvg2-bin again")
    }
    guard process.terminationStatus == 0, let data = FileManager.default.contents(atPath: result.path), !data.isEmpty
    else {
      let reason =
        String(decoding: messages, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? "no document"
      throw CommandError("\(path): rsvg-convert failed (\(reason)); install librsvg2-bin 2.54 or later")
    }
    try PatchLibrary.write(data, to: path)
  }
}
