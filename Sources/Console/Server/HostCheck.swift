import NIOHTTP1

/// Checks the headers `Host` and `Origin` of a request.
///
/// A page of another server can make a browser send requests to this server. Such a request has a foreign `Origin`. In an attack by
/// DNS rebinding, the host name of the foreign server resolves to this machine. `Host` and `Origin` then agree, but `Host` is a
/// foreign name. Therefore `Host` must be one of these:
///
/// - an IP address,
/// - `localhost`,
/// - the name of this machine, with or without `.local`,
/// - a name in the certificate of the group's domain.
///
/// A browser sends `Origin` with every WebSocket request. Other programs may omit this header.
struct HostCheck: Sendable {
  /// The accepted host names, in lower case. A name may have a wildcard as its first label, such as `*.band.example`.
  private let names: Set<String>
  private let port: Int

  /// - Parameters:
  ///   - machine: the host name of this machine.
  ///   - certified: the host names in the certificate of the group's domain, in lower case.
  ///   - port: the port of the server.
  init(machine: String, certified: [String] = [], port: Int) {
    let machine = machine.lowercased()
    let short = String(machine.prefix { $0 != "." })
    names = Set(["localhost", machine, short, short + ".local"] + certified)
    self.port = port
  }

  /// Whether the server answers a request with these headers.
  ///
  /// - Parameter scheme: "http" or "https", the scheme of the connection.
  func admits(_ headers: HTTPHeaders, scheme: String) -> Bool {
    guard let host = host(in: headers, scheme: scheme) else { return false }
    let origins = headers["origin"]
    guard origins.count <= 1 else { return false }
    guard let origin = origins.first?.lowercased() else { return true }
    return origin == scheme + "://" + host
  }

  /// The value of the header `Host` in lower case; nil if it does not denote this server.
  func host(in headers: HTTPHeaders, scheme: String) -> String? {
    let hosts = headers["host"]
    guard hosts.count == 1, let host = hosts.first?.lowercased(), isOwn(host, scheme: scheme) else { return nil }
    return host
  }

  /// Whether `host`, the value of a `Host` header, denotes this server.
  private func isOwn(_ host: String, scheme: String) -> Bool {
    guard let (name, port) = Self.split(host, scheme: scheme), port == self.port else { return false }
    return names.contains(name) || ListenAddress.isAddress(name) || isBelowWildcard(name)
  }

  /// Whether one of ``names`` with a wildcard covers `name`. The wildcard stands for exactly one label (RFC 9525, section 6.3).
  private func isBelowWildcard(_ name: String) -> Bool {
    guard let dot = name.firstIndex(of: ".") else { return false }
    return names.contains("*" + name[dot...])
  }

  /// Splits the value of a `Host` header into the name, without the brackets of an IPv6 address, and the port. If the port is missing,
  /// it is 80 for HTTP and 443 for HTTPS. Nil if `host` is malformed.
  static func split(_ host: String, scheme: String) -> (name: String, port: Int)? {
    let standardPort = scheme == "https" ? 443 : 80
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let name = String(host[host.index(after: host.startIndex)..<end])
      let rest = host[host.index(after: end)...]
      if rest.isEmpty { return (name, standardPort) }
      guard rest.first == ":", let port = Int(rest.dropFirst()) else { return nil }
      return (name, port)
    }
    let parts = host.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, parts.count <= 2 else { return nil }
    guard parts.count == 2 else { return (String(name), standardPort) }
    guard let port = Int(parts[1]) else { return nil }
    return (String(name), port)
  }
}
