/// What a patch file describes.
public enum PatchKind: String, Hashable, Sendable {
  case rhythm, instrument

  /// The required fields, for the error message about an empty file.
  var requiredFields: String {
    switch self {
    case .rhythm: "name, description, tempo and play"
    case .instrument: "name, description, sound and scale"
    }
  }

  /// The remedy for a field that is defined more than once.
  var duplicateRemedy: String {
    switch self {
    case .rhythm:
      "keep one definition; for two lines of a drum in one layer, make their names different by a chance, such as "
        + "`snare 100%: ...`"
    case .instrument: "keep one definition"
    }
  }
}
