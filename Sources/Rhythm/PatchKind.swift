/// What a patch file describes.
public enum PatchKind: String, Hashable, Sendable {
  case rhythm, instrument

  /// The required fields, for the error message about an empty file.
  var requiredFields: String {
    switch self {
    case .rhythm: "name, tempo and play"
    case .instrument: "name, sound and scale"
    }
  }
}
