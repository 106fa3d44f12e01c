import BasicContainers
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

@testable import PeerProtocol

/// Tests of SipHash-2-4 with the vectors of its authors: key 00 01 ... 0F, message 00 01 ... of length 0 to 15.
@Suite struct SipHashTests {
  private let key = TagKey((0..<16).map { UInt8($0) })

  /// The first 16 of the 64 vectors in `vectors.h` of the reference implementation, as little-endian words.
  private let vectors: [UInt64] = [
    0x726f_db47_dd0e_0e31, 0x74f8_39c5_93dc_67fd, 0x0d6c_8009_d9a9_4f5a, 0x8567_6696_d7fb_7e2d,
    0xcf27_94e0_2771_87b7, 0x1876_5564_cd99_a68d, 0xcbc9_466e_58fe_e3ce, 0xab02_00f5_8b01_d137,
    0x93f5_f579_9a93_2462, 0x9e00_82df_0ba9_e4b0, 0x7a5d_bbc5_94dd_b9f3, 0xf4b3_2f46_226b_ada7,
    0x751e_8fbc_860e_e5fb, 0x14ea_5627_c084_3d90, 0xf723_ca90_8e7a_f2ee, 0xa129_ca61_49be_45e5,
  ]

  @Test func hashOfTheAuthorsIsComputed() {
    for (length, expected) in vectors.enumerated() {
      let message = (0..<length).map { UInt8($0) }
      var hash = SipHash(key: key)
      for octet in message { hash.append(octet) }
      #expect(hash.finish() == expected)
      var spanHash = SipHash(key: key)
      spanHash.append(message.span, upTo: length)
      #expect(spanHash.finish() == expected)
    }
  }

  /// Real-time code reads arrays, and received octets are a span. Both give the same hash, for all lengths.
  @Test func arrayAndSpanHaveTheSameHash() {
    var random = SplitMix(seed: 1)
    for length in 0..<200 {
      let message = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var array = RigidArray<UInt8>(capacity: 200)
      array.append(copying: message)
      var (first, second) = (SipHash(key: key), SipHash(key: key))
      first.append(array)
      second.append(message.span, upTo: length)
      #expect(first.finish() == second.finish())
    }
  }
}
