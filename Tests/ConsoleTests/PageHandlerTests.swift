import Foundation
import MusicalTime
import NIOCore
import NIOEmbedded
import NIOWebSocket
import PeerProtocol
import Rhythm
import Testing

@testable import Console
@testable import Engine

/// Tests of ``PageHandler``, the connection of one page to its peer.
@Suite struct PageHandlerTests {
  /// A library without rhythms.
  private struct NoRhythms: RhythmLibrary {
    func readCards(_ deliver: @escaping @Sendable ([RhythmCard]) -> Void) {}
    func readInstruments(_ deliver: @escaping @Sendable ([(file: String, instrument: Instrument)]) -> Void) {}
    func select(_ name: String) {}
  }

  /// The mask of the frames of the page. It leaves the payload unchanged (RFC 6455, section 5.3).
  private static let mask: WebSocketMaskingKey = [0, 0, 0, 0]

  private let mailbox = Mailbox()
  private let pages: Pages
  private let channel = EmbeddedChannel()

  init() { pages = Pages(mailbox: mailbox, library: NoRhythms(), eventLoop: channel.eventLoop) }

  /// Opens a page.
  private func join(_ access: Access = .lead) throws {
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(PageHandler(access: access, pages: pages))
  }

  /// The frames that were sent since the last call.
  private func sent() throws -> [Frame] {
    var frames: [Frame] = []
    while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
      if frame.opcode == .binary, let decoded = Frame(frame.data) { frames.append(decoded) }
    }
    return frames
  }

  /// Changes a part of the state, and sends it to all pages.
  private func change(_ number: Int) {
    if pages.state.set(.library, json: ["number": number]) { pages.update([.library]) }
  }

  @Test func welcomeComesFirst() throws {
    pages.state.set(.library, json: ["number": 1])
    try join()
    let kinds = try sent().map(\.kind)
    #expect(kinds == [.welcome, .library])
  }

  @Test func slowReadersGetOnlyTheNewestState() throws {
    try join()
    _ = try sent()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    for number in 0..<1000 { change(number) }
    #expect(try sent().isEmpty)
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    let frames = try sent()
    #expect(frames.count == 1)
    #expect(frames.first?.payload == ByteBuffer(string: #"{"number":999}"#))
  }

  @Test func floodsEndTheConnection() throws {
    try join()
    let frame = Frame(.activity, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(bytes: [1])).encoded
    var count = 0
    while channel.isActive, count < 10_000 {
      _ = try? channel.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: frame))
      channel.embeddedEventLoop.run()
      count += 1
    }
    #expect(!channel.isActive)
    // The page may send 500 frames at once, and 100 more per second. The connection ends after 1000 frames above this limit. The loop thus
    // sends 1500 frames, and 100 more for each second that it takes. The bound of 2500 frames allows the loop ten seconds.
    #expect(count < 2500)
    #expect(pages.count == 0)
    #expect(pages.counters.limited > 0)
  }

  @Test func malformedFramesAreCounted() throws {
    try join()
    // Three incomplete headers, and a frame of an unknown version. A header has 16 octets, and begins with the version (1) and the kind.
    for octets in [[], [1], [1, 129, 0, 0], [UInt8](repeating: 255, count: 40)] {
      try channel.writeInbound(
        WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: ByteBuffer(bytes: octets)))
    }
    #expect(pages.counters.malformed == 4)
    #expect(channel.isActive)
  }

  @Test func theNumberOfPagesIsBounded() throws {
    var channels: [EmbeddedChannel] = []
    for _ in 0...Pages.maximumCount {
      let channel = EmbeddedChannel()
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      try channel.pipeline.syncOperations.addHandler(PageHandler(access: .play, pages: pages))
      channels.append(channel)
    }
    #expect(pages.count == Pages.maximumCount)
    #expect(pages.counters.refused == 1)
  }

  /// Opens a page that reports a delay in microseconds. The report shows that the player has joined, so the page counts as one of
  /// ``Pages/players``.
  private func open(delay: UInt32) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(PageHandler(access: .play, pages: pages))
    let frame = Frame(.output, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(integer: delay)).encoded
    try channel.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: frame))
    return channel
  }

  /// The delays of pages that were passed to the peer since the last call.
  private func delays() -> [PlayerCommand] {
    mailbox.take(10).map(\.command).filter { if case .pageDelay = $0 { true } else { false } }
  }

  /// The peer gets the greatest delay of all pages, but only when this delay changes. The third page does not change the greatest delay.
  @Test func peerGetsTheGreatestDelayOfThePages() throws {
    _ = try open(delay: 20_000)
    let slow = try open(delay: 250_000)
    _ = try open(delay: 90_000)
    #expect(delays() == [.pageDelay(.milliseconds(20)), .pageDelay(.milliseconds(250))])
    _ = try slow.finish()
    #expect(delays() == [.pageDelay(.milliseconds(90))])
    #expect(pages.players == 2)
  }

  @Test func excessiveDelayIsMalformed() throws {
    _ = try open(delay: PageHandler.maximumDelay + 1)
    #expect(pages.counters.malformed == 1)
    #expect(pages.players == 0)
    #expect(mailbox.take(10).isEmpty)
  }

  /// Sends a command from the page.
  private func send(_ json: String) throws {
    let frame = Frame(.command, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(string: json)).encoded
    try channel.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: frame))
  }

  /// The page sends more frames than it may. A refused frame could be the command that ends the note, so the note ends.
  @Test func refusedFrameEndsTheNotesOfThePage() throws {
    try join()
    try send(#"{"do":"note","key":60,"velocity":100}"#)
    #expect(mailbox.take(10).map(\.command) == [.join(JoiningPlayer()), .note(60, velocity: 100)])
    let frame = Frame(.activity, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(bytes: [1])).encoded
    var count = 0
    while pages.counters.limited == 0, count < 10_000 {
      try channel.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: frame))
      count += 1
    }
    #expect(pages.counters.limited == 1 && channel.isActive)
    #expect(mailbox.take(10).map(\.command).contains(.note(60, velocity: 0)))
  }

  /// The page may connect the peer only to a host of the list that the newest snapshot contains.
  @Test func pageConnectsOnlyToListedHosts() throws {
    try join()
    var snapshot = try PeerSnapshot.idle()
    snapshot.hosts = [PeerSnapshot.Host(name: "Gear", isTuttiPeer: false, isInvited: false)]
    pages.show(snapshot)
    for name in ["10.0.0.9:5004", "gear", "", "\u{1B}[2J"] {
      let octets = try JSONEncoder().encode(["do": "connect", "host": name])
      try send(String(decoding: octets, as: UTF8.self))
    }
    #expect(mailbox.take(10).isEmpty && pages.counters.malformed == 4)
    try send(#"{"do":"connect","host":"Gear"}"#)
    #expect(mailbox.take(10).map(\.command) == [.connect(toHost: "Gear")])
    snapshot.hosts = []
    pages.show(snapshot)
    try send(#"{"do":"connect","host":"Gear"}"#)
    #expect(mailbox.take(10).isEmpty && pages.counters.malformed == 5)
  }

  @Test func playersMayNeitherConnectNorSetThePolicy() throws {
    try join(.play)
    var snapshot = try PeerSnapshot.idle()
    snapshot.hosts = [PeerSnapshot.Host(name: "Gear", isTuttiPeer: false, isInvited: false)]
    pages.show(snapshot)
    try send(#"{"do":"connect","host":"Gear"}"#)
    try send(#"{"do":"policy","who":"none"}"#)
    #expect(mailbox.take(10).isEmpty && pages.counters.malformed == 2)
  }

  /// Before, a note that the page began after the close frame never ended.
  @Test func framesAfterTheCloseFrameHaveNoEffect() throws {
    try join()
    channel.pipeline.fireErrorCaught(NIOWebSocketError.invalidFrameLength)
    // The handler is in the pipeline until the event loop runs.
    try send(#"{"do":"note","key":60,"velocity":100}"#)
    #expect(mailbox.take(10).isEmpty && pages.count == 0)
  }

  // MARK: Players

  private let anna = #"{"do":"player","identity":"00000000000000a1","name":"Anna","sign":9,"program":12,"moves":3}"#

  @Test func pageIsThePlayerThatItNames() throws {
    try join(.play)
    try send(anna)
    try send(#"{"do":"activity","value":70}"#)
    // The identity of a page that plays stays the same.
    try send(#"{"do":"player","identity":"00000000000000b2","name":"\u0007 \u200b"}"#)
    let player = JoiningPlayer(name: "Anna", sign: Sign(9), instrument: .program(12), moves: 3)
    let posted = mailbox.take(10)
    #expect(posted.map(\.command) == [.join(player), .activity(70), .join(JoiningPlayer())])
    #expect(posted.allSatisfy { $0.player == Identity(0xA1) })
    _ = try channel.finish()
    #expect(mailbox.take(10).map(\.command) == [.part])
  }

  @Test(arguments: [
    #"{"do":"player","sign":64}"#, #"{"do":"player","program":129}"#, #"{"do":"player","moves":-1}"#,
    #"{"do":"player","moves":4294967296}"#, #"{"do":"player","sign":"9"}"#,
  ]) func impossiblePlayerIsMalformed(json: String) throws {
    try join(.play)
    try send(json)
    #expect(mailbox.take(10).isEmpty && pages.counters.malformed == 1, "\(json)")
  }

  /// A page that connects again before its former connection has ended stays a player.
  @Test func pageThatConnectsAgainStaysAPlayer() throws {
    try join(.play)
    try send(anna)
    let former = channel
    let second = EmbeddedChannel()
    try second.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try second.pipeline.syncOperations.addHandler(PageHandler(access: .play, pages: pages))
    let frame = Frame(.command, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(string: anna)).encoded
    try second.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: frame))
    _ = mailbox.take(10)
    _ = try former.finish()
    #expect(mailbox.take(10).isEmpty)
    _ = try second.finish()
    #expect(mailbox.take(10).map(\.command) == [.part])
  }

  /// Each page has its own limit: 200 commands at once, and 50 more per second. Ends of notes do not count.
  @Test func limitOfOnePageDoesNotConcernAnother() throws {
    try join(.play)
    let other = try open(delay: 1000)
    _ = mailbox.take(1000)
    for _ in 0..<130 {
      try send(#"{"do":"note","key":60,"velocity":100}"#)
      try send(#"{"do":"note","key":60,"velocity":0}"#)
    }
    try send(#"{"do":"activity","value":1}"#)
    #expect(mailbox.take(1000).count == 262 && pages.counters.limited == 0)
    for _ in 0..<100 { try send(#"{"do":"activity","value":1}"#) }
    #expect(pages.counters.limited > 0)
    let limited = pages.counters.limited
    let frame = Frame(
      .command, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(string: #"{"do":"activity","value":2}"#)
    ).encoded
    _ = mailbox.take(1000)
    try other.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: Self.mask, data: frame))
    #expect(mailbox.take(10).map(\.command) == [.activity(2)] && pages.counters.limited == limited)
  }

  @Test func touchReachesThePeerWithItsInstant() throws {
    try join(.play)
    try send(#"{"do":"note","key":60,"velocity":100,"at":"1234567890123456789"}"#)
    let instant = Instant(nanoseconds: 1_234_567_890_123_456_789)
    #expect(mailbox.take(10).map(\.command).last == .note(60, velocity: 100, touchedAt: instant))
  }
}
