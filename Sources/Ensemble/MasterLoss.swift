/// What becomes of the rhythm when its master is gone.
public enum MasterLoss: String, CaseIterable, Hashable, Sendable {
  /// The next in line goes on with it.
  case `continue`
  /// It stops.
  case stop
}
