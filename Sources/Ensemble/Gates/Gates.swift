public import PeerProtocol

/// The permissions of remote peers: a default for all peers, and exceptions for single peers. A gate (``Gate``) is the permission
/// for one kind of message: rhythm, notes, modification or activity. A gate is open or closed.
///
/// An exception is for a peer with a certain identity (sixteen hexadecimal digits) or name. Names are not authenticated, so an
/// exception by name only prevents mistakes. If several peers have the same name, the exception applies only to the first of
/// them that joined, until it leaves. A peer that joins later and copies the name gains nothing. Exceptions by name do not apply
/// to a peer whose name looks like an identity.
///
/// A peer that announces itself as a Tutti peer in its invitation or its answer is not identified until it answers a clock probe. A standard
/// device is known as soon as its session begins. Before the identification, ``PeerCore`` admits only messages whose gate is open
/// to all peers: see ``isOpenToAll(_:)``.
///
/// Real-time: not safe.
public struct Gates: Hashable, Sendable {
  /// The deviations from the default for one peer.
  ///
  /// Real-time: not safe.
  public struct Exception: Hashable, Sendable {
    private var opened = GateSet.none
    private var closed = GateSet.none

    public init() {}

    /// Whether the gate is open; nil: the default applies.
    public subscript(gate: Gate) -> Bool? {
      get { opened[gate] ? true : closed[gate] ? false : nil }
      set {
        opened[gate] = newValue == true
        closed[gate] = newValue == false
      }
    }

    var isEmpty: Bool { opened == .none && closed == .none }
  }

  /// The default for peers without an exception.
  public var standard = GateSet.all
  /// The exceptions by identity, in lower case, or by name.
  public private(set) var exceptions: [String: Exception] = [:]
  /// The peers that may control the rhythm in a led session, by identity or name: the leader and then its deputies. Empty if any peer may.
  public private(set) var leaders: [String] = []

  public init() {}

  /// Saved gates of a led session: the ``rules`` must be applied to them.
  public init(ledBy leaders: [String]) { self.leaders = leaders.map(Self.key) }

  /// Opens or closes a gate for one peer, by identity or name, or for all peers without an exception (nil).
  public mutating func set(_ gate: Gate, open: Bool, for peer: String? = nil) {
    guard let peer else {
      standard[gate] = open
      return
    }
    exceptions[Self.key(peer), default: Exception()][gate] = open
  }

  /// Removes the exceptions for a peer.
  public mutating func removeException(for peer: String) { exceptions[Self.key(peer)] = nil }

  /// Sets the peers that may control the rhythm, by identity or name; none: any peer may. Removes all exceptions for the rhythm.
  ///
  /// - Parameters:
  ///   - leaders: the leader and then its deputies.
  ///   - local: the one of them that means the local peer. Its name opens no gate, because another peer could have the same name.
  public mutating func setLeaders(_ leaders: [String], local: String? = nil) {
    self.leaders = leaders.map(Self.key)
    standard[.rhythm] = leaders.isEmpty
    for (peer, var exception) in exceptions {
      exception[.rhythm] = nil
      exceptions[peer] = exception.isEmpty ? nil : exception
    }
    for leader in leaders where leader != local { set(.rhythm, open: true, for: leader) }
  }

  /// Whether a gate is open for every peer: it is open by default, and no exception closes it.
  public func isOpenToAll(_ gate: Gate) -> Bool {
    standard[gate] && exceptions.values.allSatisfy { $0[gate] != false }
  }

  /// Returns the gates that are open for a peer.
  ///
  /// - Parameters:
  ///   - peer: the identity; nil for a standard device.
  ///   - name: the reported name; nil if the peer is not the first one with this name.
  public func opening(for peer: Identity?, named name: String?) -> GateSet {
    guard !exceptions.isEmpty else { return standard }
    var opening = standard
    for gate in Gate.allCases { if let open = exception(gate, for: peer, named: name) { opening[gate] = open } }
    return opening
  }

  /// Returns whether an exception opens or closes a gate for a peer; nil: the default applies. The parameters are those of
  /// ``opening(for:named:)``.
  func exception(_ gate: Gate, for peer: Identity?, named name: String?) -> Bool? {
    let byName = name.flatMap { Identity($0) == nil ? exceptions[$0]?[gate] : nil }
    return peer.flatMap { exceptions[$0.description]?[gate] } ?? byName
  }

  /// Returns the key of a peer in ``exceptions``.
  private static func key(_ peer: String) -> String { Identity(peer)?.description ?? peer }
}
