import Engine
import Foundation
import Rhythm
import Testing
import _TestSupport
import _TestTraits

/// Tests of two peers with different patches on this machine: the follower receives the patch of the master.
@Suite(.serialized, .ownThreads) struct PatchTransferTests {
  private func patch(_ name: String) throws -> Patch {
    try PatchLoader.patch(
      from: """
        name: \(name)
        description: A clap on each beat.
        tempo: 120
        play: { always: { clap: x... x... x... x... } }
        """, file: "a.yaml")
  }

  /// The follower plays the patch of the master, and then another patch that the player of the master chooses. The player of the
  /// follower cannot choose a patch, but can save the patch that plays. A slash between digits, as in 12/8, is permitted in a name.
  @Test func followerPlaysThePatchOfTheMaster() async throws {
    let folder = try TemporaryFolder()
    let (first, second) = (try patch("claps"), try patch("12/8 claps"))
    let master = try LivePeer("Ada", folder: folder, start: true) { ($0.patch, $0.patchName) = (first, "claps") }
    let follower = try LivePeer("Ben", folder: folder, connect: [master.port])
    try await follower.waitForLog("rhythm claps: plays; the master Ada has chosen it")
    master.mailbox.post(.patch(second, named: "second"))
    try await follower.waitForLog("rhythm 12/8 claps: plays from the next bar on; the master Ada has chosen it")
    follower.mailbox.post(.patch(first, named: "claps"))
    try await follower.waitForLog(
      "rhythm claps: not played. Ada leads. Ada can press h, then you press t; or type :ask")
    let path = folder.path("saved.yaml")
    follower.mailbox.post(.savePatch(to: path))
    try await follower.waitForLog("rhythm 12/8 claps: saved as \(path)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == second.text)
    follower.mailbox.post(.savePatch(to: path))
    try await follower.waitForLog("saved.yaml: exists already; give another name")
  }

  /// A patch whose name is a path is not played. The follower keeps its own patch, which is `tick` in a ``LivePeer``.
  @Test func patchWithAPathAsNameIsNotPlayed() async throws {
    let folder = try TemporaryFolder()
    let patch = try patch("../../claps")
    let master = try LivePeer("Ada", folder: folder, start: true) { ($0.patch, $0.patchName) = (patch, "claps") }
    let follower = try LivePeer("Ben", folder: folder, connect: [master.port])
    try await follower.waitForLog(
      "rhythm from Ada: its name \"../../claps\" contains / or begins with a full stop; ask Ada to correct it; this peer keeps tick"
    )
    #expect(!follower.log.contains { $0.contains("has chosen it") })
  }

  /// With `ownPatch`, a follower keeps its patch, and its player can choose another one.
  @Test func peerWithTheOptionOwnPatchKeepsItsPatch() async throws {
    let folder = try TemporaryFolder()
    let patch = try patch("claps")
    let master = try LivePeer("Ada", folder: folder, start: true) { ($0.patch, $0.patchName) = (patch, "claps") }
    let follower = try LivePeer("Ben", folder: folder, connect: [master.port]) { $0.ownPatch = true }
    try await follower.waitForLog("this peer follows")
    // A transfer takes a few milliseconds on one machine, so it would be complete after a second.
    try await pause(for: .seconds(1))
    follower.mailbox.post(.patch(patch, named: "mine"))
    try await follower.waitForLog("rhythm mine: plays from the next bar on")
    #expect(!follower.log.contains { $0.contains("has chosen it") })
  }
}
