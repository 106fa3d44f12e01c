import CZip
import Scores
import Text

/// The score in a compressed MusicXML file (`.mxl`): a ZIP archive whose entry `META-INF/container.xml` names the MusicXML file in it.
///
/// The archive is read in memory by libzip. No entry is written anywhere, so paths in it are names only. Source: MusicXML 4.0, "Compressed
/// .MXL Files".
enum CompressedFile {
  /// The largest ratio of the size of an entry to its compressed size. A text of notes is compressed about 20 times.
  static let maximumRatio: UInt64 = 100
  private static let maximumEntries = 1000
  private static let container = "META-INF/container.xml"

  /// Whether the octets begin as a ZIP archive does.
  static func isArchive(_ octets: [UInt8]) -> Bool { octets.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// Returns the octets of the MusicXML file in an archive.
  ///
  /// - Throws: ``ScoreFault`` if the archive is damaged, contains no score, or exceeds a limit.
  static func score(in octets: [UInt8], file: String) throws(ScoreFault) -> [UInt8] {
    guard octets.count <= XMLStream.maximumFile else {
      throw ScoreFault(file: file, "the file", "has \(octets.count) octets", "use at most \(XMLStream.maximumFile)")
    }
    // libzip reads from the buffer until the archive is discarded, inside this call.
    let result: Result<[UInt8], ScoreFault> = octets.withUnsafeBytes { buffer in
      do throws(ScoreFault) { return .success(try read(buffer, file)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static func read(_ buffer: UnsafeRawBufferPointer, _ file: String) throws(ScoreFault) -> [UInt8] {
    var error = zip_error_t()
    zip_error_init(&error)
    defer { zip_error_fini(&error) }
    guard let source = zip_source_buffer_create(buffer.baseAddress, UInt64(buffer.count), 0, &error) else {
      throw damaged(file, &error)
    }
    guard let archive = zip_open_from_source(source, Int32(ZIP_RDONLY), &error) else {
      zip_source_free(source)
      throw damaged(file, &error)
    }
    defer { zip_discard(archive) }
    let count = zip_get_num_entries(archive, 0)
    guard count <= maximumEntries else {
      throw ScoreFault(file: file, "the archive", "has \(count) entries", "keep one score in it")
    }
    let list = try entry(container, of: archive, file)
    var path: String?
    try XMLStream.read(list, file: "\(file): \(container)") { stream, step throws(ScoreFault) in
      guard case .tree = step, let files = stream.tree.child(0, .rootfiles),
        let first = stream.tree.child(files, .rootfile)
      else { return }
      path = stream.tree.attribute(first, .fullPath)
    }
    guard let path else {
      throw ScoreFault(file: file, container, "names no score", "export the file again")
    }
    return try entry(path, of: archive, file)
  }

  private static func entry(_ name: String, of archive: OpaquePointer, _ file: String) throws(ScoreFault) -> [UInt8] {
    let label = "entry \(name.printable(upTo: 60))"
    var status = zip_stat_t()
    zip_stat_init(&status)
    guard zip_stat(archive, name, 0, &status) == 0, status.valid & UInt64(ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE) != 0
    else {
      throw ScoreFault(file: file, label, "is missing in the archive", "export the file again")
    }
    guard status.size <= UInt64(XMLStream.maximumFile) else {
      throw ScoreFault(file: file, label, "has \(status.size) octets", "use at most \(XMLStream.maximumFile)")
    }
    guard status.size <= max(status.comp_size, 1024) * maximumRatio else {
      throw ScoreFault(
        file: file, label, "is compressed more than \(maximumRatio) times, as in an archive made to fill memory",
        "export the file again")
    }
    guard let entry = zip_fopen(archive, name, 0) else {
      throw ScoreFault(
        file: file, label, "cannot be opened; it may have a password", "export the file without a password")
    }
    defer { zip_fclose(entry) }
    var octets = [UInt8](repeating: 0, count: Int(status.size))
    // The checksum is verified when the end is read.
    var end = 0
    while end < octets.count {
      let count = octets.withUnsafeMutableBytes { zip_fread(entry, $0.baseAddress! + end, UInt64($0.count - end)) }
      guard count > 0 else { throw ScoreFault(file: file, label, "is damaged", "copy or export the file again") }
      end += Int(count)
    }
    var extra: UInt8 = 0
    guard zip_fread(entry, &extra, 1) == 0 else {
      throw ScoreFault(file: file, label, "is damaged", "copy or export the file again")
    }
    return octets
  }

  private static func damaged(_ file: String, _ error: inout zip_error_t) -> ScoreFault {
    ScoreFault(
      file: file, "the archive", zip_error_strerror(&error).map { String(cString: $0) } ?? "is damaged",
      "copy or export the file again")
  }
}
