import Engine

/// The payload of a frame ``FrameKind/alternatives``: the peers to which a page moves when its own peer disappears.
struct AlternativesDescription: Encodable, Equatable {
  /// Another peer of the group that serves a page.
  struct Alternative: Encodable, Equatable {
    /// The name of the peer; nil if the peer reports none.
    var name: String?
    /// The address of the peer's page, as in a URL: `192.168.1.20:8080`.
    var address: String
  }

  /// The largest number of ``peers``.
  static let maximumCount = 16

  /// The peers in the order in which the page tries to connect to them: the master first.
  var peers: [Alternative]

  /// - Parameter members: the remote peers in session, the master first.
  init(_ members: [PeerSnapshot.Member]) {
    let alternatives = members.lazy.compactMap { member in
      member.page.map { Alternative(name: member.status.name, address: $0) }
    }
    peers = Array(alternatives.prefix(Self.maximumCount))
  }
}
