import Foundation
import _TestSupport

/// A fuzzer of the web page of two real peers over TCP. One peer needs no token. An input is a request or a frame.
///
/// The invariants: the peers live, every complete request has a complete response, an invalid frame ends the connection with a close
/// frame, an honest page gets its frame `welcome`, no connection stays open, and the memory of the peers does not grow.
final class PeerFuzzer: Fuzzer {
  /// The growth of the memory of a peer is measured from this number of connections on. Until then, the peer creates the lanes and loads the
  /// programs that its pages play.
  private static let warmUp = 4000
  /// The maximum permitted growth of the resident memory of a peer in octets: 32 MiB.
  private static let maximumGrowth = 32 << 20

  private let seed: UInt64
  private let folder: TemporaryFolder
  private var peers: [ServedPeer] = []
  private var generators: [ConnectionGenerator] = []
  /// The number of inputs that ``run(inputs:)`` should have fed.
  private var target = 0
  private var (inputs, connections) = (0, 0)
  private var (opened, refused, closed) = (0, 0, 0)

  /// - Parameter program: the path of the program `tutti`.
  init(seed: UInt64, program: String) throws {
    self.seed = seed
    folder = try TemporaryFolder()
    for (index, arguments) in [["--http-open"], []].enumerated() {
      let peer = try ServedPeer(program, arguments, name: "peer\(index)", in: folder)
      peers.append(peer)
      generators.append(ConnectionGenerator(seed: seed &+ UInt64(index), requests: peer.requests))
    }
  }

  var account: String {
    let memory = peers.map { "\($0.residentMemory >> 10) KiB" }.joined(separator: " and ")
    return
      "connections \(connections), pages \(opened), closed by a close frame \(closed), refused requests \(refused), "
      + "memory of the peers \(memory)"
  }

  func run(inputs count: Int) throws(FuzzFailure) {
    target += count
    while inputs < target {
      let peer = peers[connections % peers.count]
      do {
        try feed(generators[connections % peers.count].next(), to: peer)
        if connections % 128 < peers.count { try openHonestPage(at: peer) }
      } catch {
        throw FuzzFailure(peer.death() ?? "\(error)", seed: seed, input: inputs)
      }
    }
    for peer in peers {
      do { try peer.verify(maximumGrowth: Self.maximumGrowth) } catch {
        throw FuzzFailure(peer.death() ?? "\(error)", seed: seed, input: inputs)
      }
    }
  }

  private func feed(_ connection: HostileConnection, to peer: ServedPeer) throws {
    connections += 1
    if connections == Self.warmUp { for peer in peers { peer.rememberMemory() } }
    inputs += connection.requests + connection.frames
    let client = try Client(port: peer.port)
    for segment in connection.segments { client.send(segment) }
    // The server opens no WebSocket for a client that has sent its end already.
    let beginning = connection.containsHead ? client.receive() : []
    client.finish()
    let output = try ServerOutput(beginning + client.receiveAll())
    try output.verify(connection)
    refused += output.statuses.count { $0 >= 400 }
    opened += output.isUpgraded ? 1 : 0
    closed += output.isClosed ? 1 : 0
  }

  private func openHonestPage(at peer: ServedPeer) throws {
    let client = try Client(port: peer.port)
    client.send(peer.requests.honest())
    var octets: [UInt8] = []
    // A frame of the peer follows the response. The page has more frames, and the last one can be incomplete.
    while true {
      if let end = octets[...].endOfHead, octets.count >= end + 4 {
        let frame = octets[end...]
        // A binary frame of fewer than 126 octets, version 1, and the kind `welcome`.
        guard octets.starts(with: Array("HTTP/1.1 101 ".utf8)), frame.first == 0x82, frame[frame.startIndex + 3] == 1
        else { break }
        return
      }
      let more = client.receive()
      guard !more.isEmpty else { break }
      octets += more
    }
    throw Client.Failure(
      description: "an honest page got \(String(decoding: octets.prefix(300), as: UTF8.self).debugDescription)")
  }
}
