import Engine
import Ensemble
import Foundation
import MusicalTime
import _TestSupport

/// A fuzzer of the decoder of saved sessions, which a peer keeps in its state folder. The inputs are damaged files and files with
/// extreme numbers.
///
/// The invariant: if a file can be read, its session is unchanged after it is written and read again.
final class StateFuzzer: Fuzzer {
  private let seed: UInt64
  private var mutator: Mutator
  private var random: SplitMix
  private var inputs = 0
  private var accepted = 0
  /// The file of a valid session.
  private let valid: [UInt8]

  init(seed: UInt64) throws {
    self.seed = seed
    (random, mutator) = (SplitMix(seed: seed), Mutator(seed: seed))
    let session = SavedSession(
      patch: "samba", tempo: try Tempo(bpm: 117), activity: 64, gates: Gates(),
      peers: ["192.168.1.2:5004", "[fe80::1%3]:5004"], position: Step(17), rhythm: nil, boot: "b")
    valid = Array(try JSONEncoder().encode(session))
  }

  var account: String { "accepted \(accepted), refused \(inputs - accepted)" }

  func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      var octets = valid
      for _ in 0..<Int.random(in: 0...3, using: &random) { change(&octets) }
      try feed(Data(octets))
      inputs += 1
    }
  }

  /// Either damages the file, or replaces a digit by another number, so that the file remains JSON.
  private func change(_ octets: inout [UInt8]) {
    let digits = octets.indices.filter { (0x30...0x39).contains(octets[$0]) }
    if Bool.random(using: &random), let place = digits.randomElement(using: &random) {
      let long = [UInt8](repeating: 0x39, count: Int.random(in: 1...25, using: &random))
      octets.replaceSubrange(place...place, with: Bool.random(using: &random) ? long : Array("-1e9".utf8))
    } else {
      mutator.mutate(&octets, splicing: valid)
    }
  }

  /// Decodes a file. If it can be read, checks that its session is unchanged after it is written and read again.
  private func feed(_ data: Data) throws(FuzzFailure) {
    guard let session = try? JSONDecoder().decode(SavedSession.self, from: data) else { return }
    accepted += 1
    let again = (try? JSONEncoder().encode(session)).flatMap { try? JSONDecoder().decode(SavedSession.self, from: $0) }
    guard again == session else {
      throw FuzzFailure("\(session) is read as \(again as Any)", seed: seed, input: inputs)
    }
  }
}
