import Engine
import Ensemble
import Foundation
import Measurement
import PeerProtocol
import Rhythm

// The payloads of the frames of a page that describe a snapshot in JSON. <doc:Protocol> describes their members.
extension PeerSnapshot {
  /// The payload of a frame ``FrameKind/ensemble``: the part of the peer's state that rarely changes.
  var ensembleJSON: JSONObject {
    // The reason why the local peer may not control the rhythm: an external clock controls the rhythm, in a led session another peer is
    // the leader (the local peer perhaps keeps the rhythm for it), or another peer is the master. Nil if it may control the rhythm.
    let obstacle =
      hasExternalClock ? "clock" : leader != nil ? "leader" : role.master != nil ? "master" : String?.none
    let master = role.master.map { identity in
      members.first { $0.status.identity == identity }?.status.name ?? "\(identity)"
    }
    let parts = patch.presentParts.map { part in
      let number = Int(part.number)
      return ["name": part.name, "percent": mix.level(ofPart: number), "plays": mix.plays(part: number)] as JSONObject
    }
    return [
      "name": name, "identity": "\(identity)", "role": role.description, "channel": channel, "master": master,
      "obstacle": obstacle, "leader": leader, "isOffered": isOffered, "asks": asks,
      // Rounded to one decimal, because the tempo of a follower varies slightly with the clock correction.
      "bpm": (tempo.bpm * 10).rounded() / 10,
      "isMuted": isMuted, "isQuiet": presentMix.isQuiet, "totalRule": "\(totalActivityRule)", "patch": patchName,
      "score": score?.name, "scoreBar": score?.bar,
      "instrument": instrumentName, "parts": parts, "members": members.map(\.json),
      "players": players.map { json(of: $0) }, "base": base.map { Int($0) }, "devices": devices, "hosts": hosts,
      "furtherHosts": furtherHosts, "policy": policy.rawValue, "hasContacts": hasContacts, "lead": lead.milliseconds,
      "phrases": phrases,
    ]
  }

  /// A player as the page shows it. `phrases` are those of a page of this peer.
  private func json(of status: PlayerStatus) -> JSONObject {
    let player = status.player
    let phrases = status.peer == identity && player.kind == .page ? pagePhrases[player.identity] : nil
    return [
      "identity": "\(player.identity)", "peer": "\(status.peer)", "kind": "\(player.kind)", "name": player.name,
      "sign": Int(player.sign.number), "program": Int(player.instrument.octet), "channel": status.channel?.number,
      "isMuted": status.isMuted, "partner": player.partner.map { "\($0)" }, "phrases": phrases,
    ]
  }

  /// The largest number of peers in ``alternativesJSON``.
  static let maximumAlternatives = 16

  /// The payload of a frame ``FrameKind/alternatives``: the peers to which a page moves when its own peer disappears, in the order in which
  /// the page tries to connect to them: the master first. Only a peer that serves a page is listed.
  var alternativesJSON: JSONObject {
    let peers = members.lazy.compactMap { member in
      member.page.map { ["name": member.status.name, "address": $0] as JSONObject }
    }
    return ["peers": Array(peers.prefix(Self.maximumAlternatives))]
  }
}

extension PeerSnapshot.Member {
  fileprivate var json: JSONObject {
    [
      "identity": "\(status.identity)", "name": status.name,
      "role": status.isMaster ? "master" : status.takesPart ? "follower" : "idle", "channel": channel,
      "isMuted": status.isMuted, "asks": status.asks, "gates": gates.names,
      "takes": takes.sorted { $0.key < $1.key }.map { from, gates in
        ["from": "\(from)", "gates": gates.names] as JSONObject
      },
    ]
  }
}

extension GateSet {
  /// The names of the open gates.
  fileprivate var names: [String] { Gate.allCases.filter { self[$0] }.map { "\($0)" } }
}
