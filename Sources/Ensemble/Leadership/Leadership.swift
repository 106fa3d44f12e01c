import PeerProtocol

/// The role of the local peer in the rhythm, with the data that exists in this role only.
///
/// ``EnsembleState`` keeps the data that survives a change of role: the timeline message, the schedule, the position, the
/// highest term and the newest total.
enum Leadership: Sendable {
  case idle(Idle)
  case leading(Leader)
  case following(Follower)

  /// The data of a peer while no rhythm plays.
  struct Idle: Sendable {
    /// When the end of the rhythm is sent again; empty unless the local peer was the master.
    var repeats = Repeats()
  }

  var role: Role {
    switch self {
    case .idle: .idle
    case .leading: .master
    case .following(let follower): .follower(of: follower.master)
    }
  }

  // Each accessor moves the payload out of the enum and back, so that a mutation copies no array. During the mutation the
  // enum holds an empty payload.

  /// The payload while idle, otherwise nil. Assigning nil is not allowed.
  var idle: Idle? {
    get { if case .idle(let idle) = self { idle } else { nil } }
    _modify {
      guard case .idle(let idle) = self else {
        var none: Idle?
        yield &none
        return
      }
      var payload: Idle? = idle
      self = .idle(Idle())
      defer { self = .idle(payload!) }
      yield &payload
    }
  }

  /// The payload while this peer is the master, otherwise nil. Assigning nil is not allowed.
  var leader: Leader? {
    get { if case .leading(let leader) = self { leader } else { nil } }
    _modify {
      guard case .leading(let leader) = self else {
        var none: Leader?
        yield &none
        return
      }
      var payload: Leader? = leader
      self = .idle(Idle())
      defer { self = .leading(payload!) }
      yield &payload
    }
  }

  /// The payload while this peer follows a master, otherwise nil. Assigning nil is not allowed.
  var follower: Follower? {
    get { if case .following(let follower) = self { follower } else { nil } }
    _modify {
      guard case .following(let follower) = self else {
        var none: Follower?
        yield &none
        return
      }
      var payload: Follower? = follower
      self = .idle(Idle())
      defer { self = .following(payload!) }
      yield &payload
    }
  }
}
