/// Where the layers of a patch change. The master decides the total activity for each such position, so all peers change
/// their layers on the same tick.
public enum LayerChange: String, Hashable, Sendable, CaseIterable {
  /// On each quarter note.
  case beat
  /// On the first step of each bar.
  case bar
}
