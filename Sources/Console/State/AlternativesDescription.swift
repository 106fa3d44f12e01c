import Engine

/// The payload of a frame ``FrameKind/alternatives``: the peers to which a page moves when its own peer disappears.
struct AlternativesDescription: Encodable, Equatable {
  /// Another peer of the group that serves a page.
  struct Alternative: Encodable, Equatable {
    /// Nil if the peer reports no name.
    var name: String?
    /// The address of its page, as in a URL: `192.168.1.20:8080`.
    var address: String
  }

  /// The largest number of ``peers``.
  static let maximumCount = 16

  /// The master first. The page tries to connect to the peers in this order.
  var peers: [Alternative]

  /// - Parameter members: the remote peers in session, the master first.
  init(_ members: [PeerSnapshot.Member]) {
    let alternatives = members.lazy.compactMap { member in
      member.page.map { Alternative(name: member.status.name, address: $0) }
    }
    peers = Array(alternatives.prefix(Self.maximumCount))
  }
}
