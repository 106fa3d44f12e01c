/// What happens to the rhythm when its master disappears or leaves.
public enum MasterLoss: String, CaseIterable, Hashable, Sendable {
  /// The next peer in the order of succession takes over.
  case `continue`
  /// The rhythm stops.
  case stop
}
