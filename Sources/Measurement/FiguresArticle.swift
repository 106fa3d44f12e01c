/// The article that defines the figures of a command, for its help.
///
/// A package has the articles below `/usr/share/doc/tutti`, in the same folders as the sources.
public enum FiguresArticle: String, CaseIterable, Sendable {
  case activity = "Figures of the activity"
  case audio = "Figures of recordings"
  case clock = "Figures of a clock"
  case follower = "Figures of a device that follows a clock"
  case network = "Figures of a network"
  case path = "Figures of a path"
  case players = "Figures of players"
  case sync = "Figures of synchronization"

  /// The title of the article.
  public var title: String { rawValue }

  /// The path of the article in the sources.
  public var path: String {
    let name = "\(self)"
    return "Sources/Measurement/Measurement.docc/\(name.prefix(1).uppercased())\(name.dropFirst())Figures.md"
  }

  /// A sentence that names the article and its place.
  public var reference: String {
    "The article \"\(title)\" defines the figures (\(path), in the sources and in /usr/share/doc/tutti)."
  }
}
