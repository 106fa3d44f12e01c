/// The services that were found and those that were reported. ``drain()`` reports only the difference. The number of
/// pending events is therefore bounded, however often services appear and disappear between two calls.
struct ServiceChanges {
  /// The services by their names on the network.
  private var services: [String: Discovery.Service] = [:]
  private var reported: Set<Discovery.Service> = []
  private var hasChanged = false
  private var unavailable: String?
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

  /// Records that discovery is unavailable, with the reason and the remedy.
  mutating func setUnavailable(_ line: String) { unavailable = line }
  /// Records that the local peer is announced as `name`.
  mutating func setRenamed(_ name: String) { renamed = name }

  /// Returns the changes since the last call, lost services before found ones.
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
