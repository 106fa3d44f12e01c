import CAvahi

extension AvahiLoop {
  /// What this peer announces.
  struct Announcement {
    /// At most 63 octets of UTF-8 (RFC 6763, section 4.1.1).
    var name: String
    let port: UInt16
    let identity: UInt64

    init(name: String, port: UInt16, identity: UInt64) {
      var short = name
      while short.utf8.count > 63 { short.removeLast() }
      (self.name, self.port, self.identity) = (short, port, identity)
    }
  }

  /// Announces this peer, under another name when a peer of this machine has its own already.
  func announce(_ client: OpaquePointer) {
    guard announcement != nil else { return }
    if group == nil { group = avahi_entry_group_new(client, groupChanged, context) }
    guard let group else {
      isBroken = true
      return
    }
    guard avahi_entry_group_is_empty(group) != 0 else { return }
    var code = add(to: group)
    var tries = 100
    while code == AVAHI_ERR_COLLISION, tries > 0 {
      rename()
      tries -= 1
      code = add(to: group)
    }
    if code >= 0 { code = avahi_entry_group_commit(group) }
    if code < 0 { tellNotAnnounced(code) }
  }

  /// What has become of the announcement.
  func changed(_ group: OpaquePointer, to state: AvahiEntryGroupState) {
    switch state {
    case AVAHI_ENTRY_GROUP_ESTABLISHED:
      guard let name = announcement?.name, name != announcedName else { return }
      announcedName = name
      change { $0.setRenamed(name) }
    case AVAHI_ENTRY_GROUP_COLLISION:
      rename()
      avahi_entry_group_reset(group)
      if let client { announce(client) }
    case AVAHI_ENTRY_GROUP_FAILURE:
      if let client { tellNotAnnounced(avahi_client_errno(client)) }
    default: break
    }
  }

  private func add(to group: OpaquePointer) -> Int32 {
    guard let announcement else { return 0 }
    let text = Discovery.Service.text(of: announcement.identity)
    defer { avahi_string_list_free(text) }
    return avahi_entry_group_add_service_strlst(
      group, AvahiIfIndex(AVAHI_IF_UNSPEC), family, AvahiPublishFlags(0), announcement.name, Self.serviceType, nil, nil,
      announcement.port, text)
  }

  /// The next name as Avahi has it: "Ada", "Ada #2", "Ada #3".
  private func rename() {
    guard let name = announcement?.name, let other = avahi_alternative_service_name(name) else { return }
    announcement?.name = String(cString: other)
    avahi_free(other)
  }

  private func tellNotAnnounced(_ code: Int32) {
    let reason = avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    change {
      $0.setUnavailable("discovery: this peer cannot be announced (\(reason)); let others name it with --connect")
    }
  }
}

// A global function, as C wants it; `context` is the loop.
private func groupChanged(
  _ group: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
  guard let group, let context else { return }
  Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().changed(group, to: state)
}
