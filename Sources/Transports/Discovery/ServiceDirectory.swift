import MusicalTime

/// The names that are announced, the places where each was seen, and at which of them it is to be looked up.
///
/// The same service is seen once an interface and family. One look-up a name is enough, and there may not be many: it is
/// made where the name was seen first by IPv4; where it was seen by IPv6 alone for a moment, there. When that place goes, or
/// nothing is found at it, it is the next one's turn.
struct ServiceDirectory {
  struct Place: Hashable {
    var interface: Int32
    var isIPv6: Bool
  }

  /// The daemon lets one client have 1024 objects, of which a look-up is one.
  static var limit: Int { 1000 }
  static var placeLimit: Int { 32 }
  /// How long IPv6 waits for IPv4: the packets of both leave the announcer at about the same time.
  static var patience: Nanoseconds { .milliseconds(200) }
  /// How long after a failure the next place is tried.
  static var pause: Nanoseconds { .seconds(1) }

  private struct Entry {
    /// In the order in which they are to be tried; never empty.
    var places: [Place]
    /// Where it is looked up, or was found.
    var chosen: Place?
    /// When it is to be looked up.
    var due: Instant
  }

  private var entries: [String: Entry] = [:]

  var count: Int { entries.count }

  /// When the next look-up is to begin.
  var nextDue: Instant? { entries.values.lazy.filter { $0.chosen == nil }.map(\.due).min() }

  /// `name` was seen at `place`: whether there was room for it.
  mutating func appeared(_ name: String, at place: Place, now: Instant) -> Bool {
    guard var entry = entries[name] else {
      guard entries.count < Self.limit else { return false }
      entries[name] = Entry(places: [place], due: place.isIPv6 ? now + Self.patience : now)
      return true
    }
    guard !entry.places.contains(place) else { return true }
    guard entry.places.count < Self.placeLimit else { return false }
    let index = place.isIPv6 ? entry.places.count : entry.places.firstIndex { $0.isIPv6 } ?? entry.places.count
    entry.places.insert(place, at: index)
    if !place.isIPv6 { entry.due = min(entry.due, now) }
    entries[name] = entry
    return true
  }

  /// `name` is no longer at `place`: whether that is where it is looked up, or was found.
  mutating func disappeared(_ name: String, at place: Place, now: Instant) -> Bool {
    guard var entry = entries[name] else { return false }
    entry.places.removeAll { $0 == place }
    let wasChosen = entry.chosen == place
    if wasChosen { (entry.chosen, entry.due) = (nil, now) }
    entries[name] = entry.places.isEmpty ? nil : entry
    return wasChosen
  }

  /// Nothing was found where `name` is looked up.
  mutating func failed(_ name: String, now: Instant) {
    guard var entry = entries[name], let place = entry.chosen else { return }
    entry.places.removeAll { $0 == place }
    entry.places.append(place)
    (entry.chosen, entry.due) = (nil, now + Self.pause)
    entries[name] = entry
  }

  /// What is to be looked up now, and where.
  mutating func takeDue(at now: Instant) -> [(name: String, place: Place)] {
    var due: [(name: String, place: Place)] = []
    for (name, entry) in entries where entry.chosen == nil && entry.due <= now {
      guard let place = entry.places.first else { continue }
      entries[name]?.chosen = place
      due.append((name, place))
    }
    return due
  }

  mutating func removeAll() { entries.removeAll() }
}
