import CAvahi

// The announcement of the local peer.
extension AvahiLoop {
  /// The service that the local peer announces.
  struct Announcement {
    /// The service name, at most 63 octets of UTF-8 (RFC 6763, section 4.1.1).
    var name: String
    /// The control port.
    let port: UInt16
    /// The identity of the local peer.
    let identity: UInt64
    /// The name to use if ``name`` is in use; nil if it is in use too.
    private var distinctName: String?

    /// Creates an announcement. A name longer than 63 octets is truncated.
    init(name: String, port: UInt16, identity: UInt64) {
      (self.name, self.port, self.identity) = (name, port, identity)
      while self.name.utf8.count > 63 { self.name.removeLast() }
      // The sessions of several peers with one name show the same digits (``Ensemble/Roster``).
      let digits = String(identity, radix: 16)
      let zeros = String(repeating: "0", count: 16 - digits.count)
      let distinct = "\(self.name) \((zeros + digits).prefix(4))"
      distinctName = distinct.utf8.count <= 63 ? distinct : nil
    }

    /// Selects another name, because the name is in use: first "Ada 3f2a" with the beginning of the identity, then Avahi's alternative
    /// names "Ada 3f2a #2", "Ada 3f2a #3".
    mutating func rename() {
      if let distinctName {
        (name, self.distinctName) = (distinctName, nil)
      } else if let other = avahi_alternative_service_name(name) {
        name = String(cString: other)
        avahi_free(other)
      }
    }
  }

  /// Announces the local peer. If another program on this machine has already announced the name, tries up to 100 alternative names.
  func announce(_ client: OpaquePointer) {
    guard announcement != nil else { return }
    if group == nil { group = avahi_entry_group_new(client, groupChanged, context) }
    guard let group else {
      isBroken = true
      return
    }
    // A group with entries is already announced.
    guard avahi_entry_group_is_empty(group) != 0 else { return }
    var code = add(to: group)
    var tries = 100
    while code == AVAHI_ERR_COLLISION, tries > 0 {
      announcement?.rename()
      tries -= 1
      code = add(to: group)
    }
    if code >= 0 { code = avahi_entry_group_commit(group) }
    if code < 0 { reportNotAnnounced(code) }
  }

  /// Handles a change of the state of the announcement. A collision means that another host has announced the name.
  func changed(_ group: OpaquePointer, to state: AvahiEntryGroupState) {
    switch state {
    case AVAHI_ENTRY_GROUP_ESTABLISHED:
      guard let name = announcement?.name, name != announcedName else { return }
      announcedName = name
      update { $0.setRenamed(name) }
    case AVAHI_ENTRY_GROUP_COLLISION:
      announcement?.rename()
      avahi_entry_group_reset(group)
      if let client { announce(client) }
    case AVAHI_ENTRY_GROUP_FAILURE:
      if let client { reportNotAnnounced(avahi_client_errno(client)) }
    default: break
    }
  }

  /// Adds the announcement to `group`. Returns a negative Avahi error code on failure.
  private func add(to group: OpaquePointer) -> Int32 {
    guard let announcement else { return 0 }
    let text = Discovery.Service.text(of: announcement.identity)
    defer { avahi_string_list_free(text) }
    return avahi_entry_group_add_service_strlst(
      group, AvahiIfIndex(AVAHI_IF_UNSPEC), family, AvahiPublishFlags(0), announcement.name, Self.serviceType, nil, nil,
      announcement.port, text)
  }

  /// Reports that the announcement failed with Avahi error `code`.
  private func reportNotAnnounced(_ code: Int32) {
    let reason = avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    update {
      $0.setUnavailable(
        "discovery: cannot announce this peer (\(reason)); connect to it from the other peers with --connect HOST:PORT")
    }
  }
}

// A global function, because C requires a function pointer. `context` is the loop. Called when the state of the announcement
// changes.
private func groupChanged(
  _ group: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
  guard let group, let context else { return }
  Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().changed(group, to: state)
}
