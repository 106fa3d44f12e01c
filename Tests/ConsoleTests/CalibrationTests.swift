import Engine
import Foundation
import MusicalTime
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Realtime
import Rhythm
import Synchronization
import Testing

@testable import Console

/// Tests of the turns of a calibration: the peer asks one page after another to click. In its turn, a page clicks twelve times. The peer
/// skips a page that has not answered after one second. These tests record no sound.
@Suite struct CalibrationTests {
  /// A library without rhythms.
  private struct NoRhythms: RhythmLibrary {
    func readCards(_ deliver: @escaping @Sendable ([RhythmCard]) -> Void) {}
    func readInstruments(_ deliver: @escaping @Sendable ([(file: String, instrument: Instrument)]) -> Void) {}
    func select(_ name: String) {}
  }

  /// The reported events as text.
  private final class Events: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ event: CalibrationEvent) {
      let text =
        switch event {
        case .began(let pages): "began \(pages)"
        case .measured(let report): "page \(report.page): \(report.problem ?? "\(report.delay?.milliseconds ?? .nan)")"
        case .failed(let reason): "failed: \(reason)"
        case .ended: "ended"
        }
      texts.withLock { $0.append(text) }
    }
    var all: [String] { texts.withLock { $0 } }
  }

  /// The payload of a frame `clicks`.
  private struct Clicks: Decodable {
    var turn: Int
    var page: Int
    var instants: [String]
  }

  private let events = Events()
  private let pages: Pages
  private let eventLoop = EmbeddedEventLoop()

  init() {
    pages = Pages(mailbox: Mailbox(), library: NoRhythms(), eventLoop: eventLoop)
    pages.calibration = Calibration(
      pages: pages, microphone: Microphone(device: "no such device", latency: nil), mailbox: Mailbox(),
      eventLoop: eventLoop, report: events.add)
  }

  /// Opens a page.
  private func join(_ access: Access) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: eventLoop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(PageHandler(access: access, pages: pages))
    return channel
  }

  /// Sends a command from a page to the peer.
  private func send(_ json: String, from channel: EmbeddedChannel) throws {
    let frame = Frame(.command, sequence: 1, at: MonotonicClock.now, payload: ByteBuffer(string: json))
    try channel.writeInbound(WebSocketFrame(fin: true, opcode: .binary, maskKey: [0, 0, 0, 0], data: frame.encoded))
  }

  /// The payloads of the frames of one kind that were sent to a page since the last call.
  private func sent(_ kind: FrameKind, to channel: EmbeddedChannel) throws -> [ByteBuffer] {
    var payloads: [ByteBuffer] = []
    while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
      if let decoded = Frame(frame.data), decoded.kind == kind { payloads.append(decoded.payload) }
    }
    return payloads
  }

  @Test func withoutPagesNothingBegins() {
    pages.calibrate()
    #expect(events.all.count == 1 && events.all[0].hasPrefix("failed: no web page of this peer is open"))
  }

  @Test func onlyLeadersMayCalibrate() throws {
    let player = try join(.play)
    try send(#"{"do":"calibrate"}"#, from: player)
    #expect(events.all.isEmpty)
    // Commands that are not permitted count as malformed.
    #expect(pages.counters.malformed == 1)
  }

  @Test func pagesClickInTurnAndPagesWithoutSoundAreSkipped() throws {
    let (leader, player) = (try join(.lead), try join(.play))
    try send(#"{"do":"calibrate"}"#, from: leader)
    let before = MonotonicClock.now
    let payload = try #require(try sent(.clicks, to: leader).first)
    let clicks = try JSONDecoder().decode(Clicks.self, from: Data(payload.readableBytesView))
    #expect(clicks.page == 1 && clicks.instants.count == 12)
    let first = try #require(clicks.instants.first.flatMap(Int64.init))
    // The clicks of the peer begin 1.6 s after the request, and those of the page 1.57 s later: 3.17 s after the request. The request was
    // made before `before`, so the time since `before` is shorter.
    #expect((2_000_000_000...3_170_000_000).contains(first - before.nanoseconds))
    #expect(try sent(.clicks, to: player).isEmpty)
    // An answer to another turn, and an answer of another page, have no effect.
    try send(#"{"do":"clicking","turn":99,"on":false}"#, from: leader)
    try send(#"{"do":"clicking","turn":1,"on":false}"#, from: player)
    #expect(events.all == ["began 2"])
    try send(#"{"do":"clicking","turn":1,"on":false}"#, from: leader)
    #expect(events.all.count == 2 && events.all[1].hasPrefix("page 1: the page cannot play clicks"))
    #expect(try sent(.clicks, to: player).count == 1)
    // A second calibration does not disturb the first one.
    pages.calibrate()
    #expect(events.all.last?.hasPrefix("failed: a calibration is in progress") == true)
    eventLoop.advanceTime(by: .seconds(2))
    #expect(events.all.suffix(2).first?.hasPrefix("page 2: the page does not answer") == true)
    #expect(events.all.last == "ended")
    #expect(try sent(.calibration, to: leader).isEmpty == false)
    #expect(try sent(.calibration, to: player).isEmpty, "results are for leaders only")
  }
}
