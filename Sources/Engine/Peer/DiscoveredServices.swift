import Transports

/// The services that discovery has found on the network, sorted by name. The service of the local peer is left out.
///
/// The list has at most 1000 services, because ``Transports/Discovery`` keeps at most 1000 names.
struct DiscoveredServices {
  /// One service per name, by ascending name.
  private(set) var all: [Discovery.Service] = []

  /// Adds a service. It replaces a service with the same name.
  mutating func found(_ service: Discovery.Service) {
    guard !service.isLocal else { return }
    let index = position(of: service.name)
    if index < all.count, all[index].name == service.name {
      all[index] = service
    } else {
      all.insert(service, at: index)
    }
  }

  /// Removes a service. Does nothing if another service with the same name has replaced this service.
  mutating func lost(_ service: Discovery.Service) {
    let index = position(of: service.name)
    if index < all.count, all[index] == service { all.remove(at: index) }
  }

  /// The service with this name.
  subscript(name: String) -> Discovery.Service? {
    let index = position(of: name)
    return index < all.count && all[index].name == name ? all[index] : nil
  }

  /// Returns the first ``PeerSnapshot/maximumHosts`` services that are not in session, and the number of further ones.
  func hosts(
    isInSession: (Discovery.Service) -> Bool, isInvited: (Discovery.Service) -> Bool
  ) -> (first: [PeerSnapshot.Host], further: Int) {
    let others = all.filter { !isInSession($0) }
    let first = others.prefix(PeerSnapshot.maximumHosts).map {
      PeerSnapshot.Host(name: $0.name, isTuttiPeer: $0.identity != nil, isInvited: isInvited($0))
    }
    return (first, others.count - first.count)
  }

  /// The index in ``all`` at which the service with this name is, or belongs.
  private func position(of name: String) -> Int { all.firstIndex { $0.name >= name } ?? all.count }
}
