public import Engine
import Foundation

/// The files of the page, in memory. They are read once, so that no path of a request is ever used as a path of the file system.
@_spi(Fuzzing) public struct PageFiles: Sendable {
  /// The files by the path in the URL, such as `/app.js`.
  private let files: [String: PageFile]

  /// The media types by the suffix of the file name. Files with other suffixes are not served.
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  /// Reads the files from the folder `Tutti_Console.resources/Page` beside the program. `Bundle.module` is not used, because it would end
  /// the program if the folder is missing.
  ///
  /// - Throws: ``EngineError`` if `index.html` is missing.
  @_spi(Fuzzing) public init() throws(EngineError) {
    let program = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]).resolvingSymlinksInPath()
    let folder = program.deletingLastPathComponent().appendingPathComponent("Tutti_Console.resources/Page")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var files: [String: PageFile] = [:]
    for name in names {
      guard let type = Self.types[(name as NSString).pathExtension],
        let data = try? Data(contentsOf: folder.appendingPathComponent(name))
      else { continue }
      files["/" + name] = PageFile(type: type, octets: Array(data))
    }
    guard let index = files["/index.html"] else {
      throw EngineError(
        "web page: its files are missing in \(folder.path); copy the folder Tutti_Console.resources from .build/release to the folder of the program"
      )
    }
    files["/"] = index
    self.files = files
  }

  /// The file for the path of a URL, such as `/app.js`; nil if there is none.
  subscript(path: String) -> PageFile? { files[path] }

  /// The URL paths of all files. For tests.
  var paths: [String] { files.keys.sorted() }
}
