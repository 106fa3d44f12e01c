/// What has been found, and what of it has been told. Only the difference is ever told, so that however often things
/// come and go between two times of asking, what waits is bounded.
struct Findings {
  /// By the names they have on the network.
  private var services: [String: Discovery.Service] = [:]
  private var told: Set<Discovery.Service> = []
  private var hasChanged = false
  private var unavailable: String?
  private var renamed: String?

  /// The service of that name is now `service`, or none: whether that is new.
  mutating func set(_ name: String, _ service: Discovery.Service?) -> Bool {
    guard services[name] != service else { return false }
    services[name] = service
    hasChanged = true
    return true
  }

  /// Nothing is known any more.
  mutating func removeAll() {
    guard !services.isEmpty else { return }
    services.removeAll()
    hasChanged = true
  }

  mutating func setUnavailable(_ line: String) { unavailable = line }
  mutating func setRenamed(_ name: String) { renamed = name }

  /// What has changed since the last time: what is lost before what is found.
  mutating func drain() -> [Discovery.Event] {
    var events: [Discovery.Event] = []
    if let unavailable { events.append(.unavailable(unavailable)) }
    if let renamed { events.append(.renamed(renamed)) }
    (unavailable, renamed) = (nil, nil)
    guard hasChanged else { return events }
    hasChanged = false
    let there = Set(services.values)
    events += told.subtracting(there).sorted { $0.name < $1.name }.map { .lost($0) }
    events += there.subtracting(told).sorted { $0.name < $1.name }.map { .found($0) }
    told = there
    return events
  }
}
