extension Discovery {
  /// A change reported by ``Discovery/drain()``.
  public enum Event: Hashable, Sendable {
    /// A service was found.
    case found(Service)
    /// A service disappeared or changed. A changed service is then reported as found.
    case lost(Service)
    /// Discovery is unavailable: the reason and the remedy in one line. Reported once per interruption. Discovery
    /// resumes automatically.
    case unavailable(String)
    /// The requested name is in use. The local peer is announced under the associated name instead.
    case renamed(String)
  }
}
