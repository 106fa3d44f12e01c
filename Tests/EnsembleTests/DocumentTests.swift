import MusicalTime
import PeerProtocol
import Scores
import Testing
import _TestSupport

@testable import Ensemble

/// The transfer of rhythms between peers.
@Suite struct DocumentTests {
  /// A rhythm of `length` random octets. Each seed gives another one. The octets need not be a valid text, because only the engine reads
  /// the text.
  static func document(_ length: Int, seed: UInt64) -> Document {
    var random = SplitMix(seed: seed)
    return Document(.rhythm, (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })!
  }

  /// A band of idle players, in which player n has chosen `documents[n]`, or a rhythm that is not shared if the element is nil. The players
  /// choose at intervals of two seconds, the first one last.
  static func makeBand(_ documents: [Document?], seed: UInt64, loss: Double = 0) -> VirtualBand {
    var band = VirtualBand(players: documents.count, seed: seed, loss: loss)
    for (n, document) in documents.enumerated().reversed() {
      band.choose(document, by: n)
      band.play(for: .seconds(2))
    }
    return band
  }

  /// The documents that a player has received.
  private func received(by n: Int, _ band: VirtualBand) -> [Document] {
    band.players[n].events.compactMap { if case .documentReceived(let document, _) = $0 { document } else { nil } }
  }

  /// The number of requests that a player has sent.
  private func requests(of n: Int, _ band: VirtualBand) -> Int {
    band.players[n].outputs.count {
      if case .send(.documentRequest(let request), _, _) = $0 {
        request.kind != DocumentKind.players.rawValue
      } else {
        false
      }
    }
  }

  /// The parts that a player has sent.
  private func parts(of n: Int, _ band: VirtualBand) -> [DocumentPart] {
    let parts = band.players[n].outputs.compactMap {
      if case .send(.documentPart(let part), _, _) = $0 { part } else { nil as DocumentPart? }
    }
    return parts.filter { $0.kind != DocumentKind.players.rawValue }
  }

  /// Idle players receive the rhythm that another player chooses, before anyone starts.
  @Test(arguments: [1, 899, 900, 901, 20_000], [0, 0.2]) func idlePlayersReceiveTheNewestRhythm(
    length: Int, loss: Double
  ) throws {
    let document = Self.document(length, seed: 7)
    var band = Self.makeBand([document, nil, nil], seed: UInt64(length), loss: loss)
    band.play(for: .seconds(loss > 0 ? 10 : 1))
    for n in 1...2 {
      #expect(received(by: n, band) == [document], "player \(n)")
      #expect(band.players[n].ensemble.rhythmAnswer == .ready(document.digest))
    }
    #expect(received(by: 0, band) == [] && requests(of: 0, band) == 0, "player 0 has it")
    // One request is needed for each 16 parts.
    if loss == 0 { #expect(requests(of: 1, band) == (document.partCount + 15) / 16) }
  }

  /// A score of 35 kB reaches 16 peers while a rhythm plays: without loss within 3 s, with 3 % loss within 6 s. Every holder sends parts.
  @Test(arguments: [(0, 3), (0.03, 6)]) func scoreReachesSixteenPeersInTime(loss: Double, seconds: Int64) throws {
    let document = Self.document(35_000, seed: 7)
    var band = VirtualBand(players: 17, seed: 5, loss: loss)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .seconds(5))
    band.choose(document, by: 0)
    let chosen = band.now
    while (1...16).contains(where: { received(by: $0, band).isEmpty }), band.now - chosen < .seconds(seconds) {
      band.play(for: .milliseconds(20))
    }
    #expect((1...16).allSatisfy { received(by: $0, band) == [document] }, "after \(band.now - chosen)")
    #expect((1...16).contains { !parts(of: $0, band).isEmpty }, "only the leader has sent parts")
  }

  @Test func longestDocumentIsTransferred() throws {
    let document = Self.document(Document.maximumLength, seed: 7)
    #expect(document.partCount == DocumentPart.maximumCount)
    var band = Self.makeBand([document, nil], seed: 1)
    band.play(for: .seconds(5))
    #expect(received(by: 1, band) == [document])
  }

  @Test func longerDocumentIsRefused() {
    let octets = [UInt8](repeating: 1, count: Document.maximumLength + 1)
    #expect(Document(.rhythm, octets) == nil && Document(.rhythm, []) == nil)
  }

  /// A player that keeps its own rhythm requests nothing and reports it. A player that has the rhythm requests nothing.
  @Test func rhythmIsRequestedOnlyIfItIsNeeded() throws {
    let document = Self.document(100, seed: 1)
    var band = VirtualBand(players: 3, seed: 1)
    band.players[2].ensemble.followsPatch = false
    band.choose(Self.document(50, seed: 2), by: 2)
    band.choose(document, by: 1)
    band.choose(document, by: 0)
    band.play(for: .seconds(5))
    #expect(requests(of: 2, band) == 0 && band.players[2].ensemble.rhythmAnswer == .playsItsOwn)
    #expect(requests(of: 1, band) == 1, "only the rhythm of player 2")
  }

  /// The player begins to receive a long rhythm, and then another player chooses another one.
  @Test func newerSelectionCancelsTheReception() throws {
    let (long, short) = (Self.document(1_000_000, seed: 1), Self.document(100, seed: 2))
    var band = VirtualBand(players: 3, seed: 1)
    band.choose(long, by: 1)
    band.play(for: .milliseconds(1100))
    #expect(band.players[0].ensemble.documents.reception?.digest == long.digest)
    band.choose(short, by: 2)
    band.play(for: .milliseconds(300))
    #expect(received(by: 0, band) == [short])
  }

  /// The player that chose the rhythm leaves. Another player that has it sends it to a newcomer.
  @Test func anyHolderSendsTheDocument() throws {
    let document = Self.document(3000, seed: 1)
    var band = VirtualBand(players: 3, seed: 1)
    band.connected = { a, b in a + b != 2 || a == b }
    band.endSession(0, 2)
    band.choose(document, by: 0)
    band.play(for: .seconds(2))
    #expect(received(by: 1, band) == [document] && received(by: 2, band) == [])
    // Player 1 follows player 0 for a moment, and so plays its rhythm.
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .seconds(2))
    band.leave(0)
    band.play(for: .seconds(3))
    #expect(received(by: 2, band) == [document])
  }

  /// A peer sends other octets than those of the digest that it has announced. It is not asked again, and another holder is.
  @Test func forgedPartsAreNotPlayed() throws {
    let document = Self.document(100, seed: 1)
    var band = VirtualBand(players: 3, seed: 3)
    band.connected = { a, _ in a != 1 }
    band.choose(document, by: 1)
    band.choose(document, by: 2)
    band.connected = { _, _ in true }
    while band.players[0].ensemble.documents.reception == nil { band.run(for: .milliseconds(1)) }
    let holder = try #require(band.players[0].ensemble.documents.reception?.holder)
    let other = band.identity(holder == band.identity(1) ? 2 : 1)
    // Only forged parts arrive.
    band.connected = { _, _ in false }
    let forged = DocumentPart(.rhythm, document.digest, index: 0, of: 1, octets: [UInt8](repeating: 0, count: 100))
    band.command(0) { $0.received(forged, from: other, at: $1) }
    let rejected = band.players[0].ensemble.rejected
    band.command(0) { $0.received(forged, from: holder, at: $1) }
    #expect(received(by: 0, band) == [] && band.players[0].ensemble.rejected == rejected + 1)
    band.connected = { _, _ in true }
    band.play(for: .seconds(3))
    #expect(received(by: 0, band) == [document])
    #expect(band.players[0].ensemble.documents.forgeries.map(\.holder) == [holder])
  }

  /// The engine cannot play the text. The rhythm is not requested again, and the answer says so.
  @Test func refusedDocumentIsNotRequestedAgain() throws {
    let document = Self.document(100, seed: 1)
    var band = VirtualBand(players: 2, seed: 3)
    band.choose(document, by: 0)
    band.run(for: .seconds(2))
    band.refuse(document, by: 1)
    band.run(for: .seconds(5))
    #expect(requests(of: 1, band) == 1)
    #expect(band.players[1].ensemble.rhythmAnswer == .refused(document.digest))
  }

  /// Documents of an unknown kind belong to later releases.
  @Test func unknownKindIsCounted() {
    var band = VirtualBand(players: 2, seed: 3)
    let document = Self.document(100, seed: 1)
    band.choose(document, by: 0)
    var (request, part) = (DocumentRequest(.rhythm, document.digest, from: 0), document.part(0))
    (request.kind, part.kind) = (9, 9)
    let rejected = band.players[0].ensemble.rejected
    let peer = band.identity(1)
    band.command(0) { $0.received(request, from: peer, at: $1) }
    band.command(0) { $0.received(part, from: peer, at: $1) }
    #expect(band.players[0].ensemble.rejected == rejected + 2 && parts(of: 0, band) == [])
  }

  /// However many requests arrive, all parts together are sent at 200 kB/s while a rhythm plays, and at 1 MB/s at rest.
  @Test(arguments: [(true, 178), (false, 893)]) func rateOfPartsIsLimited(plays: Bool, partsPerSecond: Int) throws {
    let document = Self.document(500_000, seed: 1)
    var band = VirtualBand(players: 3, seed: 3)
    band.choose(document, by: 0)
    if plays { try band.command(0) { try $0.start(tempo: .standard, at: $1) } }
    // The requests of the test are the only ones.
    band.connected = { _, _ in false }
    band.players[0].outputs = []
    let start = band.now
    while band.now - start < .seconds(1) {
      for (n, first) in [(1, 0), (2, 16), (1, 300), (2, 511), (1, 1165)] {
        let peer = band.identity(n)
        band.command(0) {
          $0.received(DocumentRequest(.rhythm, document.digest, from: UInt16(first)), from: peer, at: $1)
        }
      }
      band.run(for: .milliseconds(1))
    }
    let count = parts(of: 0, band).count
    #expect((partsPerSecond * 9 / 10...partsPerSecond + 3).contains(count), "\(count)")
  }

  /// At most sixteen documents and 1 MiB are kept, and the newest ones.
  @Test func oldDocumentsAreRemoved() {
    var cache = DocumentCache(maximumCount: 16, maximumLength: Document.maximumLength)
    let documents = (0..<20).map { Self.document(1000, seed: $0) }
    for document in documents { cache.insert(document, isPlayable: true, keeping: [documents[1].digest]) }
    #expect(documents.indices.filter { cache[documents[$0].digest] != nil } == [1] + Array(5..<20))
    let large = Self.document(Document.maximumLength - 10, seed: 99)
    cache.insert(large, isPlayable: nil, keeping: [])
    #expect(documents.allSatisfy { cache[$0.digest] == nil } && cache[large.digest] == large)
  }
}

extension VirtualBand {
  /// The player chooses the rhythm with this text. Nil: a rhythm that is not shared.
  mutating func choose(_ document: Document?, meter: Meter = .common, by n: Int) {
    command(n) { $0.play(RhythmChoice(digest: document?.digest, meter: meter), document: document, at: $1) }
  }

  /// The engine of a player cannot play a document that has arrived.
  mutating func refuse(_ document: Document, by n: Int) {
    players[n].handledEvents = players[n].events.count
    command(n) { $0.refuse(document.digest, at: $1) }
  }

  /// Lets true time pass. Every 20 ms, the players do the work of the engine: they accept the documents that have arrived, and play the
  /// rhythms of their masters. All rhythms have the meter 4/4 unless the player itself has chosen the rhythm.
  mutating func play(for length: Nanoseconds) {
    let end = now + length
    while now < end {
      run(for: min(.milliseconds(20), end - now))
      for n in players.indices where players[n].isAlive {
        for case .documentReceived(let document, _) in players[n].events[players[n].handledEvents...] {
          if document.kind == .score, let score = try? Score(octets: document.octets) {
            command(n) { $0.accept(document.digest, score, at: $1) }
          } else {
            command(n) { $0.accept(document.digest, at: $1) }
          }
        }
        players[n].handledEvents = players[n].events.count
        let ensemble = players[n].ensemble
        guard ensemble.role.master != nil, let digest = ensemble.schedule.rhythm.next.digest,
          digest != ensemble.rhythm.digest, let document = ensemble.document(digest)
        else { continue }
        choose(document, meter: ensemble.schedule.grid.next.meter, by: n)
      }
    }
  }
}
