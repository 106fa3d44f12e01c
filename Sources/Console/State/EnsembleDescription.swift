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
    var channel: Int?
    var isMuted: Bool
    /// The gates of the local peer that are open for the remote peer.
    var gates: [String]
  }

  /// See ``Engine/PhraseStatus``.
  struct Phrases: Encodable, Equatable {
    var recorded: Int?
    var received: Int?
    var sender: String?
    var variation: UInt32?
  }

  /// A part of the rhythm.
  struct Part: Encodable, Equatable {
    var name: String
    var percent: Int
    var plays: Bool
  }

  var name: String
  var identity: String
  var role: String
  var channel: Int?
  /// The name of the master; nil if there is none.
  var master: String?
  /// Why the local peer may not control the rhythm: another peer is the `master` or the `leader` of the session, or an external
  /// `clock` controls the rhythm. Nil if the local peer may control it.
  var obstacle: String?
  /// Whether the master offers its role to the local peer.
  var isOffered: Bool
  var bpm: Double
  var isMuted: Bool
  var isQuiet: Bool
  var totalRule: String
  var patch: String
  var instrument: String?
  var parts: [Part]
  var members: [Member]
  var devices: Int
  /// The lead time in milliseconds.
  var lead: Double
  var phrases: Phrases

  init(_ snapshot: PeerSnapshot) {
    let status = snapshot.status
    (name, identity) = (snapshot.name, "\(snapshot.identity)")
    (role, channel) = (status.role.description, snapshot.channel)
    master = status.role.master.map { identity in
      snapshot.members.first { $0.status.identity == identity }?.status.name ?? "\(identity)"
    }
    obstacle =
      if status.role.master != nil { "master" } else if snapshot.hasExternalClock {
        "clock"
      } else if snapshot
        .hasRemoteLeader
      { "leader" } else { nil }
    isOffered = snapshot.isOffered
    // Rounded to one decimal, because the tempo of a follower varies slightly with the clock correction.
    bpm = (status.tempo.bpm * 10).rounded() / 10
    (isMuted, isQuiet) = (status.isMuted, status.isQuiet)
    totalRule = snapshot.totalActivityRule.rawValue
    (patch, instrument) = (status.patchName, status.instrumentName)
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
    lead = snapshot.lead.milliseconds
    let phrases = snapshot.phrases
    self.phrases = Phrases(
      recorded: phrases.recorded, received: phrases.received, sender: phrases.sender, variation: phrases.variation)
  }
}
