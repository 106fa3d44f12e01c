import Foundation
import Testing
import _TestSupport
import _TestTraits

@testable import Console

/// Tests of `tutti demo --http` with real peers. A ``PageClient`` plays the role of the page on a phone.
@Suite(.ownThreads, .serialized) struct DemoPageTests {
  /// The members of a payload of the kind `ensemble` that are tested.
  private struct Ensemble: Decodable {
    struct Member: Decodable { var name: String? }
    var name: String
    /// The reason why the page may not control the rhythm; nil if it may.
    var obstacle: String?
    var members: [Member]
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func phoneBecomesTheFifthPlayer() async throws {
    let demo = try Child.tutti(["demo", "--bars", "5", "--activity", "20", "--http", "0", "--output", "d"], in: folder)
    let pattern = /web page: http:\/\/127\.0\.0\.1:([0-9]+)\/#token=([a-z2-7]+)\n/
    try await demo.wait(for: "to print the address") { demo.errors.contains(pattern) }
    let address = try #require(demo.errors.firstMatch(of: pattern)).output
    let page = try PageClient(port: try #require(Int(address.1)), token: String(address.2))
    #expect(page.next(.welcome) != nil)
    // The demo does not start the rhythm before a player has joined.
    try await pause(for: .milliseconds(300))
    #expect(!demo.errors.contains("players:") && !demo.errors.contains("bar "), "\(demo.errors)")
    // When the player presses Join, the page reports the delay of its audio output. Here the delay is 20 000 us (0x4E20).
    page.send(.output, [0, 0, 0x4E, 0x20])
    try await demo.wait(for: "to count five players") {
      demo.errors.contains("5 players: 4 peers and 1 phone\n")
    }
    let ensemble = try #require(
      page.next(.ensemble) { (try? Self.ensemble(of: $0))?.members.count == 4 }.map { try Self.ensemble(of: $0) })
    #expect(Set(ensemble.members.map(\.name)) == Set((1...4).map { "peer \($0)" }))
    #expect(ensemble.name == "phone" && ensemble.obstacle != nil)
    // The ninth octet of the payload is 1 while a rhythm plays.
    #expect(page.next(.rhythm) { $0.payload.getInteger(at: 8, as: UInt8.self) == 1 } != nil)
    // The first octet of the payload is the total activity: 100 of the phone plus 20 of the first peer.
    page.send(.activity, [100])
    #expect(page.next(.levels) { $0.payload.getInteger(at: 0, as: UInt8.self) == 120 } != nil)
    let outcome = try await demo.outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    // Five bars have 480 ticks.
    #expect(outcome.output.contains(#/peer 4  follower  \d+ of 480 /#), "\(outcome.output)")
    #expect(outcome.output.contains("Phones that played at the same time: 1\n"))
  }

  /// At the end of standard input, the rhythm starts without a phone. The address that phones can open has a token.
  @Test func demoStartsWithoutAPhoneAfterTheEndOfInput() async throws {
    let demo = try Child.tutti(
      ["demo", "--peers", "2", "--bars", "1", "--http", "0.0.0.0:0", "--json", "--output", "d"], in: folder)
    demo.closeInput()
    let outcome = try await demo.outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains(/web page: http:\/\/[^ ]+\/#token=[a-z2-7]{20}\n/), "\(outcome.errors)")
    #expect(outcome.output.contains(#""phones":0"#) && outcome.output.contains(#""bars":1"#), "\(outcome.output)")
  }

  @Test func portInUseIsAnError() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    let outcome = try await Child.tutti(["demo", "--http", "\(peer.port)", "--output", "d"], in: folder).outcome()
    #expect(outcome.status == 69 && outcome.output.isEmpty)
    let error = "tutti: web page: --http 127.0.0.1:\(peer.port): cannot be opened"
    #expect(outcome.errors.hasPrefix(error), "\(outcome.errors)")
  }

  /// Ctrl-C before a phone has joined ends the demo and its peer.
  @Test func interruptionEndsTheWaiting() async throws {
    let demo = try Child.tutti(["demo", "--http", "0", "--output", "d"], in: folder)
    try await demo.wait(for: "to wait") { demo.errors.contains("The rhythm starts when") }
    let port = try #require(demo.errors.firstMatch(of: /127\.0\.0\.1:([0-9]+)\//)).output.1
    demo.interrupt()
    // The exit status after SIGINT is 128 + 2. The web page is closed.
    #expect(try await demo.status() == 130)
    #expect(throws: RawConnection.Failure.self) { try RawConnection(port: Int(port) ?? 0) }
  }

  private static func ensemble(of frame: Frame) throws -> Ensemble {
    try JSONDecoder().decode(Ensemble.self, from: Data(frame.payload.readableBytesView))
  }
}
