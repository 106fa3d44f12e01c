public import PeerProtocol

/// What this peer lets the others do to it: a default, and exceptions for single peers.
///
/// An exception names a peer by its identity (sixteen hexadecimal digits) or by what it calls itself. Of several peers of
/// one name only the first that came is meant, until it has left: a name keeps out mistakes, and this those who borrow one.
/// A peer that calls itself what reads as an identity has no name here. Until it is known who has come, what is closed to
/// anybody is closed to it: until it has answered, or for about three seconds where it is no Tutti peer.
public struct Gates: Hashable, Sendable {
  /// What is otherwise for one peer, gate by gate; for the gates that it leaves out the default counts.
  public struct Exception: Hashable, Sendable {
    private var opened = GateSet.none
    private var closed = GateSet.none

    public init() {}

    /// Open, closed, or nil: as for everybody.
    public subscript(gate: Gate) -> Bool? {
      get { opened[gate] ? true : closed[gate] ? false : nil }
      set {
        opened[gate] = newValue == true
        closed[gate] = newValue == false
      }
    }

    var isEmpty: Bool { opened == .none && closed == .none }
  }

  /// For whom there is no exception.
  public var standard = GateSet.all
  /// By identity, in small letters, or by name.
  public private(set) var exceptions: [String: Exception] = [:]

  public init() {}

  /// Opens or closes a gate for everybody without an exception (`peer` is nil), or for one peer by identity or name.
  public mutating func set(_ gate: Gate, open: Bool, for peer: String? = nil) {
    guard let peer else {
      standard[gate] = open
      return
    }
    exceptions[Self.key(peer), default: Exception()][gate] = open
  }

  /// Takes a peer's exceptions away.
  public mutating func removeException(for peer: String) { exceptions[Self.key(peer)] = nil }

  /// A led session: the peer of this identity or name alone may control the rhythm here; nil when this peer leads.
  public mutating func ledBy(_ leader: String?) {
    standard[.rhythm] = false
    for (peer, var exception) in exceptions {
      exception[.rhythm] = nil
      exceptions[peer] = exception.isEmpty ? nil : exception
    }
    if let leader { set(.rhythm, open: true, for: leader) }
  }

  /// Whether another leads the session: the rhythm gate is closed to everybody but an exception.
  public var areLed: Bool { !standard[.rhythm] && exceptions.values.contains { $0[.rhythm] == true } }

  /// Whether a gate is open to whoever it may be: by default, and closed to nobody by an exception.
  public func isOpenToAll(_ gate: Gate) -> Bool {
    standard[gate] && exceptions.values.allSatisfy { $0[gate] != false }
  }

  /// What the peer of this identity may do.
  ///
  /// - Parameters:
  ///   - peer: nil where it has none, being no Tutti peer.
  ///   - name: what it calls itself, nil when it is not the first of that name.
  public func opening(for peer: Identity?, named name: String?) -> GateSet {
    guard !exceptions.isEmpty else { return standard }
    let byName = name.flatMap { Identity($0) == nil ? exceptions[$0] : nil }
    let byIdentity = peer.flatMap { exceptions[$0.description] }
    var opening = standard
    for gate in Gate.allCases { if let open = byIdentity?[gate] ?? byName?[gate] { opening[gate] = open } }
    return opening
  }

  /// Identities are written in one way.
  private static func key(_ peer: String) -> String { Identity(peer)?.description ?? peer }
}
