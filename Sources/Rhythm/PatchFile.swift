import Yams

/// The contents of a patch file: a rhythm or an instrument.
public enum PatchFile: Hashable, Sendable {
  case rhythm(Patch)
  case instrument(Instrument)

  /// Reads a rhythm or an instrument from `text`. A file with the field `sound` or `scale`, and without the field
  /// `play`, is an instrument. Any other file is a rhythm.
  ///
  /// - Parameters:
  ///   - text: the contents of the file.
  ///   - file: the name of the file for the descriptions of faults.
  /// - Throws: ``PatchError`` with every fault found.
  ///
  /// Real-time: not safe.
  public init(from text: String, file: String) throws(PatchError) {
    var reader = PatchReader(file: file, kind: .rhythm)
    let patch = reader.root(of: text).flatMap { root -> PatchFile? in
      switch Self.kind(of: root) {
      case .rhythm: reader.patch(root, from: text).map(PatchFile.rhythm)
      case .instrument: reader.instrument(root).map(PatchFile.instrument)
      }
    }
    guard let patch, reader.faults.isEmpty else { throw reader.error }
    self = patch
  }

  /// The kind of the patch in `text`; a rhythm if the text is not valid YAML.
  ///
  /// Real-time: not safe.
  public static func kind(of text: String) -> PatchKind {
    var reader = PatchReader(file: "", kind: .rhythm)
    return reader.root(of: text).map { kind(of: $0) } ?? .rhythm
  }

  private static func kind(of root: Node) -> PatchKind {
    let fields = root.mapping?.keys.compactMap { $0.scalar?.string } ?? []
    return !fields.contains("play") && (fields.contains("sound") || fields.contains("scale")) ? .instrument : .rhythm
  }

  public var name: String {
    switch self {
    case .rhythm(let patch): patch.name
    case .instrument(let instrument): instrument.name
    }
  }
}
