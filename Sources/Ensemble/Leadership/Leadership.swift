import PeerProtocol

/// The role of the local peer in the rhythm, with the data that exists in this role only.
///
/// ``EnsembleState`` keeps the data that survives a change of role: the timeline message, the schedule, the position, the
/// own term and the newest total.
///
/// The enum is indirect, because the role is read several times per packet, and a read must not copy the payload.
indirect enum Leadership: Sendable {
  /// No rhythm plays.
  case idle(Idle)
  /// The local peer is the master.
  case leading(Leader)
  /// The local peer follows a master.
  case following(Follower)

  /// The data of a peer while no rhythm plays.
  struct Idle: Sendable {
    /// When the end of the rhythm is sent again; empty unless the local peer was the master.
    var repeats = Repeats()
  }

  /// The role without its data.
  var role: Role {
    switch self {
    case .idle: .idle
    case .leading: .master
    case .following(let follower): .follower(of: follower.master)
    }
  }

  /// The payload while this peer is idle, otherwise nil. Assigning nil is not allowed.
  var idle: Idle? {
    get { if case .idle(let idle) = self { idle } else { nil } }
    set { if let newValue { self = .idle(newValue) } }
  }

  /// The payload while this peer is the master, otherwise nil. Assigning nil is not allowed.
  var leader: Leader? {
    get { if case .leading(let leader) = self { leader } else { nil } }
    set { if let newValue { self = .leading(newValue) } }
  }

  /// The payload while this peer follows a master, otherwise nil. Assigning nil is not allowed.
  var follower: Follower? {
    get { if case .following(let follower) = self { follower } else { nil } }
    set { if let newValue { self = .following(newValue) } }
  }
}
