import BasicContainers
import RTPMIDI

/// SipHash-2-4, a keyed hash of 64 bits for short messages.
///
/// Each word of eight octets, little-endian, is mixed into a state of four words by two rounds. Four rounds end the hash. The
/// last word contains the remaining octets and the number of all octets modulo 256. (Aumasson, Bernstein: SipHash: a fast
/// short-input PRF, 2012.) Without the key, nobody can compute the hash of another message.
///
/// The hash is used only as a tag of datagrams. Keys are derived by HMAC-SHA-256 (``Handshake``).
struct SipHash: BitwiseCopyable {
  private var v0: UInt64, v1: UInt64, v2: UInt64, v3: UInt64
  /// The octets that do not fill a word of eight octets yet. The first octet is the least significant.
  private var tail: UInt64 = 0
  /// The number of octets so far.
  private var count = 0

  // The constants are those of the paper.
  @_noLocks @_noAllocation
  init(key: TagKey) {
    v0 = key.low ^ 0x736f_6d65_7073_6575
    v1 = key.high ^ 0x646f_7261_6e64_6f6d
    v2 = key.low ^ 0x6c79_6765_6e65_7261
    v3 = key.high ^ 0x7465_6462_7974_6573
  }

  @_noLocks @_noAllocation
  mutating func append(_ octet: UInt8) {
    tail |= UInt64(octet) << UInt64((count & 7) &* 8)
    count &+= 1
    if count & 7 == 0 {
      mix(tail)
      tail = 0
    }
  }

  /// Appends the first `end` octets of `octets`.
  @_noLocks @_noAllocation
  mutating func append(_ octets: borrowing Span<UInt8>, upTo end: Int) {
    var index = 0
    if count & 7 == 0 {
      while index &+ 8 <= end {
        mix(octets.uint64(at: index).byteSwapped)
        (index, count) = (index &+ 8, count &+ 8)
      }
    }
    while index < end {
      append(octets[index])
      index &+= 1
    }
  }

  /// Appends all octets of `octets`. Real-time code cannot create the span of an array, so it needs this function.
  @_noLocks @_noAllocation
  mutating func append(_ octets: borrowing RigidArray<UInt8>) {
    var index = 0
    let end = octets.count
    if count & 7 == 0 {
      while index &+ 8 <= end {
        mix(octets.uint64(at: index).byteSwapped)
        (index, count) = (index &+ 8, count &+ 8)
      }
    }
    while index < end {
      append(octets[index])
      index &+= 1
    }
  }

  /// The hash of the octets so far.
  @_noLocks @_noAllocation
  consuming func finish() -> UInt64 {
    mix(tail | UInt64(truncatingIfNeeded: count & 0xFF) << 56)
    v2 ^= 0xFF
    round()
    round()
    round()
    round()
    return v0 ^ v1 ^ v2 ^ v3
  }

  @_noLocks @_noAllocation
  private mutating func mix(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  @_noLocks @_noAllocation
  private mutating func round() {
    v0 &+= v1
    v2 &+= v3
    v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
    v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
    v0 = v0 &<< 32 | v0 &>> 32
    v2 &+= v1
    v0 &+= v3
    v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
    v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
    v2 = v2 &<< 32 | v2 &>> 32
  }
}
