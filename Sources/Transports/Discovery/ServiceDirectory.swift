import MusicalTime

/// The announced names, the sources from which each was announced, and the source for the look-up of each name.
///
/// Avahi reports a service once per interface and address family. One look-up per name is sufficient, and the number of
/// look-ups is limited. The look-up uses the first IPv4 source, or an IPv6 source if no IPv4 source appears within
/// ``ipv4Preference``. If the source disappears or the look-up fails, the next source is used.
struct ServiceDirectory {
  /// An interface and an address family from which a name was announced.
  struct Source: Hashable {
    /// The index of the interface.
    var interface: Int32
    /// Whether the family is IPv6, not IPv4.
    var isIPv6: Bool
  }

  /// The maximum number of names. The daemon allows 1024 objects per client, and each look-up is an object.
  static var limit: Int { 1000 }
  /// The maximum number of sources per name.
  static var sourceLimit: Int { 32 }
  /// The time for which an IPv6 source waits for an IPv4 source. A peer sends its announcements for both families at
  /// about the same time.
  static var ipv4Preference: Nanoseconds { .milliseconds(200) }
  /// The time between a failed look-up and the next one.
  static var retryInterval: Nanoseconds { .seconds(1) }

  /// The sources and the look-up of one name.
  private struct Entry {
    /// The sources in the order in which they are tried; never empty.
    var sources: [Source]
    /// The source of the current look-up or of the result; nil if a look-up is to be started.
    var chosen: Source?
    /// The instant at which the look-up is due, while `chosen` is nil.
    var due: Instant
  }

  private var entries: [String: Entry] = [:]

  /// The number of names.
  var count: Int { entries.count }

  /// The instant at which the next look-up is due; nil if there is none.
  var nextDue: Instant? { entries.values.lazy.filter { $0.chosen == nil }.map(\.due).min() }

  /// Adds `source` to `name`. Returns false if a limit is exceeded.
  mutating func appeared(_ name: String, at source: Source, now: Instant) -> Bool {
    guard var entry = entries[name] else {
      guard entries.count < Self.limit else { return false }
      entries[name] = Entry(sources: [source], due: source.isIPv6 ? now + Self.ipv4Preference : now)
      return true
    }
    guard !entry.sources.contains(source) else { return true }
    guard entry.sources.count < Self.sourceLimit else { return false }
    // A new IPv4 source comes before all IPv6 sources.
    let index = source.isIPv6 ? entry.sources.count : entry.sources.firstIndex { $0.isIPv6 } ?? entry.sources.count
    entry.sources.insert(source, at: index)
    // A look-up can wait for an IPv4 source, or for its next attempt after a failure. A new IPv4 source makes the look-up due at once.
    if !source.isIPv6 { entry.due = min(entry.due, now) }
    entries[name] = entry
    return true
  }

  /// Removes `source` from `name`. Returns whether it was the chosen source.
  mutating func disappeared(_ name: String, at source: Source, now: Instant) -> Bool {
    guard var entry = entries[name] else { return false }
    entry.sources.removeAll { $0 == source }
    let wasChosen = entry.chosen == source
    if wasChosen { (entry.chosen, entry.due) = (nil, now) }
    entries[name] = entry.sources.isEmpty ? nil : entry
    return wasChosen
  }

  /// Records that the look-up of `name` failed. Its source is tried again after all other sources.
  mutating func failed(_ name: String, now: Instant) {
    guard var entry = entries[name], let source = entry.chosen else { return }
    entry.sources.removeAll { $0 == source }
    entry.sources.append(source)
    (entry.chosen, entry.due) = (nil, now + Self.retryInterval)
    entries[name] = entry
  }

  /// Chooses a source for each name whose look-up is due. Returns these names with their sources.
  mutating func takeDue(at now: Instant) -> [(name: String, source: Source)] {
    var due: [(name: String, source: Source)] = []
    for (name, entry) in entries where entry.chosen == nil && entry.due <= now {
      guard let source = entry.sources.first else { continue }
      entries[name]?.chosen = source
      due.append((name, source))
    }
    return due
  }

  /// Removes all names.
  mutating func removeAll() { entries.removeAll() }
}
