import Ensemble
import PeerProtocol
import RTPMIDI
import Testing

@testable import Engine

/// Tests of ``RecordedPlayers``, which assigns sessions to the tracks of a MIDI recording. ``RecordedPlayers/player(of:_:)`` returns the
/// index of the player, and the name of the player if the name is new or has changed.
@Suite struct RecordedPlayersTests {
  private let address = SocketAddress(host: 0x7F00_0001, port: 5004)

  private func session(_ number: UInt64) -> SessionID { SessionID(number: number) }

  @Test func eachPeerHasOneTrack() {
    var players = RecordedPlayers(local: "Ada")
    let ben = PeerReference(name: "Ben", address: address, identity: Identity(7))
    #expect(players.player(of: session(1), ben) == (1, "Ben"))
    #expect(players.player(of: session(1), ben) == (1, nil))
    // When the session has ended, the ends of its notes follow.
    #expect(players.player(of: session(1), nil) == (1, nil))
    // Another peer with the same name.
    #expect(players.player(of: session(2), PeerReference(name: "Ben", identity: Identity(8))) == (2, "Ben"))
    // The first peer returns with another name.
    let returned = PeerReference(name: "Benjamin", identity: Identity(7))
    #expect(players.player(of: session(3), returned) == (1, "Benjamin"))
    #expect(players.names == ["Ada", "Benjamin", "Ben"])
  }

  /// The local player gets a longer name when another peer with its name joins.
  @Test func localTrackIsRenamed() {
    var players = RecordedPlayers(local: "Ada")
    let changes = ["Ada", "Ada 3f2a", "Ada 3f2a"].map { players.renameLocal($0) }
    #expect(changes == [false, true, false])
    #expect(players.names == ["Ada 3f2a"])
  }

  /// A device without an identity is recognised by its name and address.
  @Test func deviceWithoutIdentityIsRecognised() {
    var players = RecordedPlayers(local: "Ada")
    let device = PeerReference(name: "Keys", address: address, identity: nil)
    #expect(players.player(of: session(1), device) == (1, "Keys"))
    #expect(players.player(of: session(2), device) == (1, nil))
    let nameless = PeerReference(name: nil, address: address, identity: nil)
    #expect(players.player(of: session(3), nameless) == (2, "\(address)"))
    // Nothing is known of the peer of session 4. The fourth player, whose index is 3, gets the name "player 4".
    #expect(players.player(of: session(4), nil) == (3, "player 4"))
  }

  /// The identity of a peer becomes known after its first notes.
  @Test func lateIdentityKeepsTheTrack() {
    var players = RecordedPlayers(local: "Ada")
    _ = players.player(of: session(1), PeerReference(name: "Ben", address: address, identity: nil))
    let ben = PeerReference(name: "Ben", address: address, identity: Identity(7))
    #expect(players.player(of: session(1), ben) == (1, nil))
    #expect(players.player(of: session(2), ben) == (1, nil))
  }

  /// A recording has at most 64 players. All further players share the last track, which has the name `others`.
  @Test func numberOfTracksIsLimited() {
    var players = RecordedPlayers(local: "Ada")
    for number in 0..<5000 {
      let (index, _) = players.player(
        of: session(UInt64(number)), PeerReference(name: "p\(number)", identity: Identity(UInt64(number) + 1)))
      #expect(index == min(number + 1, 63))
    }
    #expect(players.names.count == 64 && players.names.last == "others")
    // A player with a track of its own keeps it, and all messages of other sessions go to the last track.
    #expect(players.player(of: session(9000), PeerReference(name: "p7", identity: Identity(8))) == (8, nil))
    #expect(players.player(of: session(9001), nil) == (63, nil))
    #expect(players.names.count == 64)
  }

  /// A thousand pages join one after the other. The first ones have tracks of their own, and all others share the track of their peer.
  @Test func pagesThatComeAndGoShareTheTrackOfTheirPeer() {
    var players = RecordedPlayers(local: "Ada")
    for number in 1...1000 {
      let (index, _) = players.player(Identity(UInt64(number)), named: "page \(number)", of: RecordedPlayers.local)
      #expect(index == (number < 63 ? number : RecordedPlayers.local))
    }
    #expect(players.names.count == 63 && players.index(of: Identity(1000)) == nil)
    // The last track remains for other peers.
    #expect(players.player(of: session(1), PeerReference(name: "Ben", identity: Identity(5000))).index == 63)
  }

  /// A session that changes its identity or its name has one track, and the notes of the two newest sessions of a peer have one.
  @Test func sessionThatChangesHasOneTrack() {
    var players = RecordedPlayers(local: "Ada")
    for number in 1...5000 {
      let peer = PeerReference(name: "p\(number)", address: address, identity: Identity(UInt64(number)))
      #expect(players.player(of: session(1), peer).index == 1)
    }
    let ben = PeerReference(name: "Ben", address: address, identity: Identity(1))
    #expect(players.player(of: session(2), ben).index == 1)
    #expect(players.player(of: session(1), nil).index == 1)
    #expect(players.names == ["Ada", "Ben"])
  }
}
