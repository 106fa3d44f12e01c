extension Discovery {
  /// What has changed.
  public enum Event: Hashable, Sendable {
    case found(Service)
    /// What was found is no longer there, or no longer as it was: what it is now comes as a `found`.
    case lost(Service)
    /// Nobody is found and nobody finds this peer: what is missing and the remedy, in one line. Once each time; when it is
    /// there again, discovery goes on by itself.
    case unavailable(String)
    /// Another one has the name; this peer is announced by this one instead.
    case renamed(String)
  }
}
