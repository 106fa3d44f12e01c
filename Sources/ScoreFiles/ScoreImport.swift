public import Scores

/// A score that was read from a file, and everything in the file that it does not contain.
public struct ScoreImport: Sendable {
  /// A place in the file whose content was changed so that it fits.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// The line in the file, counted from 1.
    public let line: Int
    /// What the reader found.
    public let found: String
    /// What the score contains instead.
    public let consequence: String

    /// `song.xml:120: a note without a duration; it is left out`
    public var description: String { "\(file):\(line): \(found); \(consequence)" }
  }

  /// The largest number of octets of a file: 32 MiB.
  public static let maximumFile = XMLStream.maximumFile
  /// The largest number of findings that are kept. A hostile file can cause millions.
  static let maximumFindings = 200

  /// The score, whose identifiers are assigned.
  public internal(set) var score: Score
  /// The first findings in the order of the file.
  public internal(set) var findings: [Finding] = []
  /// The number of all findings.
  public internal(set) var findingCount = 0
  /// How often each element occurs that is not supported. Its descendants are not counted.
  public internal(set) var unsupported: [String: Int] = [:]

  init(_ score: Score) { self.score = score }

  /// Reads a MusicXML file (`.musicxml`, `.xml`), a compressed MusicXML file (`.mxl`) or a Standard MIDI File (`.mid`). The first octets
  /// decide which of them it is.
  ///
  /// - Parameter file: the name of the file, for messages.
  /// - Throws: ``ScoreFault`` if the file cannot be a score, or exceeds a limit.
  public init(octets: [UInt8], file: String) throws(ScoreFault) {
    if CompressedFile.isArchive(octets) {
      self = try MusicXMLReader.read(CompressedFile.score(in: octets, file: file), file: file)
    } else if octets.starts(with: Array("MThd".utf8)) || octets.starts(with: Array("RIFF".utf8)) {
      self = try MIDIScoreReader.read(octets, file: file)
    } else {
      self = try MusicXMLReader.read(octets, file: file)
    }
  }

  mutating func add(_ file: String, _ line: Int, _ found: String, _ consequence: String) {
    findingCount += 1
    guard findings.count < Self.maximumFindings else { return }
    findings.append(Finding(file: file, line: line, found: found, consequence: consequence))
  }
}
