import Engine
import Ensemble
import Foundation
import PeerProtocol
import Rhythm

/// The payload of a frame ``FrameKind/ensemble``: the part of the peer's state that rarely changes.
struct EnsembleDescription: Encodable, Equatable {
  /// A remote Tutti peer in session.
  struct Member: Encodable, Equatable {
    var identity: String
    var name: String?
    /// `master`, `follower` or `idle`.
    var role: String
    /// The MIDI channel, 1...16; nil if the remote peer has none.
    var channel: Int?
    var isMuted: Bool
    /// The gates of the local peer that are open for the remote peer.
    var gates: [String]
  }

  /// A part of the rhythm.
  struct Part: Encodable, Equatable {
    var name: String
    /// The level in percent.
    var percent: Int
    var plays: Bool
  }

  /// The name of the local peer.
  var name: String
  /// The identity of the local peer.
  var identity: String
  /// The role of the local peer: `master`, `follower` or `idle`.
  var role: String
  /// The MIDI channel, 1...16; nil if the local peer has none.
  var channel: Int?
  /// The name of the master, or its identity if the name is unknown. Nil if the local peer follows no master.
  var master: String?
  /// The reason why the local peer may not control the rhythm. Nil if it may control the rhythm.
  ///
  /// - `master`: another peer is the master.
  /// - `clock`: an external clock controls the rhythm.
  /// - `leader`: in a led session, another peer is the leader.
  var obstacle: String?
  /// Whether the master offers its role to the local peer.
  var isOffered: Bool
  var bpm: Double
  var isMuted: Bool
  /// Whether the rhythm and all players are silenced.
  var isQuiet: Bool
  /// The rule by which the master computes the total activity: `sum`, `mean` or `maximum`.
  var totalRule: String
  /// The name of the patch of the rhythm.
  var patch: String
  /// The name of the patch of the local player's instrument; nil without one.
  var instrument: String?
  var parts: [Part]
  var members: [Member]
  /// The number of standard devices in session.
  var devices: Int
  /// The devices on the network that are not in session, sorted by name, at most ``Engine/PeerSnapshot/maximumHosts``. Nil if discovery
  /// is off.
  var hosts: [PeerSnapshot.Host]?
  /// The number of further devices on the network that are not in session, for which ``hosts`` has no room.
  var furtherHosts: Int
  /// The connection policy: `anyone`, `contacts` or `none`.
  var policy: String
  /// Whether the policy `contacts` can be chosen.
  var hasContacts: Bool
  /// The lead time in milliseconds.
  var lead: Double
  var phrases: PhraseStatus

  init(_ snapshot: PeerSnapshot) {
    (name, identity) = (snapshot.name, "\(snapshot.identity)")
    (role, channel) = (snapshot.role.description, snapshot.channel)
    master = snapshot.role.master.map { identity in
      snapshot.members.first { $0.status.identity == identity }?.status.name ?? "\(identity)"
    }
    obstacle =
      if snapshot.role.master != nil {
        "master"
      } else if snapshot.hasExternalClock {
        "clock"
      } else if snapshot.hasRemoteLeader {
        "leader"
      } else {
        nil
      }
    isOffered = snapshot.isOffered
    // Rounded to one decimal, because the tempo of a follower varies slightly with the clock correction.
    bpm = (snapshot.tempo.bpm * 10).rounded() / 10
    (isMuted, isQuiet) = (snapshot.isMuted, snapshot.presentMix.isQuiet)
    totalRule = snapshot.totalActivityRule.rawValue
    (patch, instrument) = (snapshot.patchName, snapshot.instrumentName)
    parts = ([Rhythm.Part.drums] + snapshot.patch.parts.map(\.part)).map { part in
      let number = Int(part.number)
      return Part(name: part.name, percent: snapshot.mix.level(ofPart: number), plays: snapshot.mix.plays(part: number))
    }
    members = snapshot.members.map { member in
      let status = member.status
      return Member(
        identity: "\(status.identity)", name: status.name,
        role: status.isMaster ? "master" : status.takesPart ? "follower" : "idle", channel: member.channel,
        isMuted: status.isMuted, gates: Gate.allCases.filter { member.gates[$0] }.map { "\($0)" })
    }
    devices = snapshot.devices
    hosts = snapshot.hosts
    (furtherHosts, policy, hasContacts) = (snapshot.furtherHosts, snapshot.policy.rawValue, snapshot.hasContacts)
    lead = snapshot.lead.milliseconds
    phrases = snapshot.phrases
  }
}
