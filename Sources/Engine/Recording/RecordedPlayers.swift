import Ensemble
import PeerProtocol
import RTPMIDI

/// The players of a MIDI recording: assigns each session to a track.
///
/// A remote peer that returns in another session keeps its track. A Tutti peer is recognised by its identity, and a standard device by
/// its name and address.
struct RecordedPlayers {
  /// The index of the local player.
  static let local = 0
  /// The maximum number of players. All further players share the last track.
  static let maximum = 1024

  private var sessions: [SessionID: Int] = [:]
  private var identities: [Identity: Int] = [:]
  private var devices: [Device: Int] = [:]
  /// The names of the tracks, by index.
  private(set) var names: [String]

  /// The name and the address by which a standard device is recognised.
  private struct Device: Hashable {
    let name: String?
    let address: SocketAddress?
  }

  /// - Parameter name: the name of the local player.
  init(local name: String) { names = [name] }

  /// Returns the index of the player of `session`, and its name if it is new or has changed.
  ///
  /// - Parameter reference: what is known about the peer of the session; nil if the session has ended.
  mutating func player(of session: SessionID, _ reference: PeerReference?) -> (index: Int, newName: String?) {
    let index = index(of: session, reference)
    guard index < Self.maximum - 1 else {
      guard names.count < Self.maximum else { return (Self.maximum - 1, nil) }
      names.append("others")
      return (Self.maximum - 1, "others")
    }
    let name = reference?.name ?? reference?.address?.description
    if index == names.count {
      names.append(name ?? "player \(index + 1)")
      return (index, names[index])
    }
    guard let name, name != names[index] else { return (index, nil) }
    names[index] = name
    return (index, name)
  }

  /// The index of the player of `session`; the next free one if the player is new.
  private mutating func index(of session: SessionID, _ reference: PeerReference?) -> Int {
    let device = Device(name: reference?.name, address: reference?.address)
    var known = sessions[session]
    if let identity = reference?.identity {
      // The identity can become known after the first messages.
      known = identities[identity] ?? known
    } else if reference != nil, known == nil {
      known = devices[device]
    }
    let index = known ?? names.count
    guard index < Self.maximum - 1 else { return index }
    sessions[session] = index
    if let identity = reference?.identity {
      if identities[identity] == nil { identities[identity] = index }
    } else if reference != nil {
      devices[device] = index
    }
    return index
  }
}
