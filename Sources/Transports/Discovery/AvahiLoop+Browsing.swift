import CAvahi
import MusicalTime
import Realtime

// The search for the services of other peers. Avahi first reports the name of a service, at an interface and an address family
// (a source). A look-up of the name then gives the address.
extension AvahiLoop {
  /// Starts to browse for RTP-MIDI sessions.
  func browse(_ client: OpaquePointer) {
    guard browser == nil else { return }
    browser = avahi_service_browser_new(
      client, AvahiIfIndex(AVAHI_IF_UNSPEC), family, Self.serviceType, nil, AvahiLookupFlags(0), browsed, context)
    if browser == nil { isBroken = true }
  }

  /// Handles the appearance of `name` at `source`. If a limit of the directory is exceeded, counts the name or the source
  /// as ignored.
  func appeared(_ name: String, at source: ServiceDirectory.Source) {
    if !directory.appeared(name, at: source, now: MonotonicClock.now) { ignored.add(1, ordering: .relaxed) }
  }

  /// Handles the disappearance of `name` at `source`. If `name` was looked up at this source, ends the look-up.
  /// ``lookUpDue(at:)`` then starts a look-up at another source.
  func disappeared(_ name: String, at source: ServiceDirectory.Source) {
    if directory.disappeared(name, at: source, now: MonotonicClock.now) { forget(name) }
  }

  /// Starts the look-ups that are due.
  func lookUpDue(at now: Instant) {
    guard let client else { return }
    for (name, source) in directory.takeDue(at: now) {
      let family = AvahiProtocol(source.isIPv6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET)
      // The resolver is kept, because it also reports when the service moves to another port.
      resolvers[name] = avahi_service_resolver_new(
        client, source.interface, family, name, Self.serviceType, nil, family, AvahiLookupFlags(0), resolved, context)
      if resolvers[name] == nil { directory.failed(name, now: now) }
    }
  }

  /// Handles a look-up of `name` by `resolver` without a result. A resolver that is no longer in use is ignored.
  func failed(_ name: String, _ resolver: OpaquePointer) {
    guard resolvers[name] == resolver else { return }
    forget(name)
    directory.failed(name, now: MonotonicClock.now)
  }

  /// Handles a new or changed result of the look-up of `name` by `resolver`. `service` is nil if the result is not usable.
  /// A resolver that is no longer in use is ignored.
  func found(_ name: String, _ resolver: OpaquePointer, _ service: Discovery.Service?) {
    guard resolvers[name] == resolver else { return }
    set(name, service)
  }

  /// Ends the look-up of `name` and removes its service.
  private func forget(_ name: String) {
    if let resolver = resolvers.removeValue(forKey: name) { avahi_service_resolver_free(resolver) }
    set(name, nil)
  }
}

// Global functions, because C requires function pointers. `context` is the loop. The strings come from D-Bus, so they
// are valid UTF-8 and end with NUL.

/// Called by the browser when a service appears at an interface and an address family, or disappears there.
private func browsed(
  _: OpaquePointer?, interface: AvahiIfIndex, family: AvahiProtocol, event: AvahiBrowserEvent,
  name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: AvahiLookupResultFlags,
  context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let loop = Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue()
  let source = ServiceDirectory.Source(interface: interface, isIPv6: family == AVAHI_PROTO_INET6)
  switch event {
  case AVAHI_BROWSER_NEW: if let name { loop.appeared(String(cString: name), at: source) }
  case AVAHI_BROWSER_REMOVE: if let name { loop.disappeared(String(cString: name), at: source) }
  case AVAHI_BROWSER_FAILURE: loop.isBroken = true
  default: break
  }
}

/// Called by a resolver with the host, the address and the TXT record of a service, or without them if the look-up failed.
private func resolved(
  resolver: OpaquePointer?, interface: AvahiIfIndex, _: AvahiProtocol, event: AvahiResolverEvent,
  name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, host: UnsafePointer<CChar>?,
  address: UnsafePointer<AvahiAddress>?, port: UInt16, text: UnsafeMutablePointer<AvahiStringList>?,
  _: AvahiLookupResultFlags,
  context: UnsafeMutableRawPointer?
) {
  guard let resolver, let name, let context else { return }
  let loop = Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue()
  let key = String(cString: name)
  guard event == AVAHI_RESOLVER_FOUND, let host, let address else { return loop.failed(key, resolver) }
  loop.found(
    key, resolver,
    Discovery.Service(
      name: key, host: String(cString: host), address: address, interface: interface, port: port, text: text,
      local: loop.announcement?.identity))
}
