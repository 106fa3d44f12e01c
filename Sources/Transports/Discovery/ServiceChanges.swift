/// The services that are present, and those that were reported to the owner of ``Discovery``. ``drain()`` reports only the
/// difference. The number of pending events therefore stays limited, even if services appear and disappear often between two calls.
struct ServiceChanges {
  /// The present services by their names on the network.
  private var services: [String: Discovery.Service] = [:]
  /// The services that were present at the last call of ``drain()``.
  private var reported: Set<Discovery.Service> = []
  /// Whether ``services`` has changed since the last call of ``drain()``.
  private var hasChanged = false
  /// The reason and the remedy, if discovery became unavailable since the last call of ``drain()``.
  private var unavailable: String?
  /// The new name, if the local peer was renamed since the last call of ``drain()``.
  private var renamed: String?

  /// Sets the service of `name`; nil removes it. Returns whether this is a change.
  mutating func set(_ name: String, _ service: Discovery.Service?) -> Bool {
    guard services[name] != service else { return false }
    services[name] = service
    hasChanged = true
    return true
  }

  /// Removes all services.
  mutating func removeAll() {
    guard !services.isEmpty else { return }
    services.removeAll()
    hasChanged = true
  }

  /// Records that discovery is unavailable. `message` is the reason and the remedy in one line.
  mutating func setUnavailable(_ message: String) { unavailable = message }

  /// Records that the local peer is announced as `name`.
  mutating func setRenamed(_ name: String) { renamed = name }

  /// Returns the changes since the last call: first whether discovery became unavailable, then whether the local peer was
  /// renamed, then the lost services, then the found services. A service that has changed is lost and found.
  mutating func drain() -> [Discovery.Event] {
    var events: [Discovery.Event] = []
    if let unavailable { events.append(.unavailable(unavailable)) }
    if let renamed { events.append(.renamed(renamed)) }
    (unavailable, renamed) = (nil, nil)
    guard hasChanged else { return events }
    hasChanged = false
    let present = Set(services.values)
    events += reported.subtracting(present).sorted { $0.name < $1.name }.map { .lost($0) }
    events += present.subtracting(reported).sorted { $0.name < $1.name }.map { .found($0) }
    reported = present
    return events
  }
}

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
