/// The positions at which the layers of a patch can change. The total activity, which combines the activities of all players,
/// selects the layers. The master decides the total for each of these positions, so that all peers change their layers on the
/// same tick. The total that applies at a tick is the intensity at this tick.
public enum LayerChange: String, Hashable, Sendable, CaseIterable {
  /// On each quarter note.
  case beat
  /// On the first step of each bar.
  case bar
}
