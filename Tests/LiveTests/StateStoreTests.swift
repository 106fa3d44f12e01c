import Foundation
import Logging
import Testing

@testable import Engine

/// Tests of ``StateStore``, which stores the identity of a peer and its bound (the highest reserved term, ``TermReservation``).
@Suite struct StateStoreTests {
  private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Opens the first file of the peers with this name. If the first file is in use, a store opens a further file, which has a number in
  /// its name. The function then tries again. The first file may be in use for some milliseconds: a process that another test starts
  /// inherits the lock of the file, and keeps the lock until it executes its program.
  private func store(_ name: String) throws -> StateStore {
    _ = try LivePeer.state.get()
    for _ in 0..<1000 {
      let store = try StateStore(name: name, log: log)
      if store.sessionPath?.hasSuffix("/\(name).session") == true { return store }
      Thread.sleep(forTimeInterval: 0.005)
    }
    throw EngineError("\(name): in use")
  }

  /// The next start of the peer uses the new identity. The bound is unchanged.
  @Test func renewedIdentityIsStored() throws {
    let former: (identity: String, term: UInt64)
    let renewed: String
    do {
      let store = try store("renewed-identity")
      #expect(store.write(term: 12_345))
      former = ("\(store.identity)", store.term)
      #expect(store.renewIdentity())
      renewed = "\(store.identity)"
    }
    let next = try store("renewed-identity")
    #expect(renewed != former.identity && "\(next.identity)" == renewed && next.term == former.term)
  }

  /// A peer claims terms above the bound that was stored when the peer started. At each start, the peer reserves a block of 64 terms: it
  /// stores a bound that is 64 higher.
  @Test func restartedPeerBeginsAboveTheStoredBound() throws {
    for expected in [UInt64(0), 64, 128] {
      let store = try store("reserved-terms")
      let keeper = SessionKeeper(store, restored: nil, failures: FileFailures(), log: log)
      #expect(keeper.previousBound == expected && store.term == expected + 64)
    }
  }

  /// The peer claims the terms 1 to 300 one after the other. The disk is fast: each write ends before the next claim. No claimed term is
  /// above the bound on the disk, so none is used again after a crash.
  @Test func noClaimedTermIsAboveTheStoredBound() throws {
    let store = try store("claimed-terms")
    var keeper = SessionKeeper(store, restored: nil, failures: FileFailures(), log: log)
    try #require(keeper.previousBound == 0)
    for term in UInt64(1)...300 {
      #expect(term <= store.term)
      keeper.reserve(for: term)
      keeper.finish()
    }
  }
}
