import Engine

/// A file that a command writes. An existing file is replaced only when the new one is complete, and no incomplete file remains.
struct OutputFile {
  private let path: String
  private let remedy: String
  private let file: ReplacedFile

  /// Checks that the file can be written.
  ///
  /// - Parameter remedy: what to do if it cannot be written.
  /// - Throws: ``CommandError``.
  init(_ path: String, remedy: String = "give --output a file in a writable folder") throws(CommandError) {
    (self.path, self.remedy) = (path, remedy)
    do throws(Fault) { file = try ReplacedFile(path) } catch { throw Self.error(path, error, remedy) }
  }

  /// Writes the whole file.
  ///
  /// - Throws: ``CommandError``.
  func write(_ octets: some Sequence<UInt8>) throws(CommandError) {
    do throws(Fault) { try file.write(Array(octets)) } catch { throw Self.error(path, error, remedy) }
  }

  /// Writes the file with a library or a program that needs a path.
  ///
  /// - Parameter body: writes the file at the path that it gets. If it throws an error, the file remains as it was.
  /// - Throws: the error of `body`, or ``CommandError``.
  func write<Result>(with body: (String) throws -> Result) throws -> Result {
    let result: Result
    do { result = try body(file.partialPath) } catch {
      file.discard()
      throw error
    }
    do throws(Fault) { try file.commit() } catch { throw Self.error(path, error, remedy) }
    return result
  }

  private static func error(_ path: String, _ fault: Fault, _ remedy: String) -> CommandError {
    CommandError("\(path): cannot be written (\(fault.reason)); \(fault.isFull ? "make room on the disk" : remedy)")
  }
}
