import Testing

@testable import Cryptography

/// Tests of ``SHA256``, ``HMAC``, ``HKDF`` and ``Scrypt`` with the test vectors of their standards.
@Suite struct CryptographyTests {
  private func hexadecimal(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The examples of FIPS 180-2, appendix B: "abc", and a million times "a" in parts of 1000 octets. The last hash is that of no data.
  @Test func hashesOfFIPS180() {
    #expect(
      hexadecimal(SHA256.hash(of: octets("abc")))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    var sha256 = SHA256()
    for _ in 0..<1000 { sha256.update([UInt8](repeating: 0x61, count: 1000)) }
    #expect(hexadecimal(sha256.hash()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(
      hexadecimal(SHA256().hash()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  /// Reading the hash of the data so far does not end the computation.
  @Test func dataCanFollowAHash() {
    var sha256 = SHA256()
    sha256.update(octets("a"))
    let first = sha256.hash()
    #expect(sha256.hash() == first && first == SHA256.hash(of: octets("a")))
    sha256.update(octets("bc"))
    #expect(sha256.hash() == SHA256.hash(of: octets("abc")))
  }

  /// Test cases 2 and 6 of RFC 4231. The key of the second one is longer than a block of SHA-256.
  @Test func codesOfRFC4231() {
    #expect(
      hexadecimal(HMAC.code(of: octets("what do ya want for nothing?"), key: octets("Jefe")))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let long = octets("Test Using Larger Than Block-Size Key - Hash Key First")
    #expect(
      hexadecimal(HMAC.code(of: long, key: [UInt8](repeating: 0xaa, count: 131)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  /// Each changed bit, and each other length, makes a code invalid.
  @Test func onlyTheCodeItselfIsValid() {
    let (message, key) = (octets("message"), octets("key"))
    let code = HMAC.code(of: message, key: key)
    #expect(HMAC.isValid(code, of: message, key: key))
    for bit in 0..<256 {
      var wrong = code
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!HMAC.isValid(wrong, of: message, key: key))
    }
    #expect(!HMAC.isValid([], of: message, key: key) && !HMAC.isValid(code + [0], of: message, key: key))
    #expect(!HMAC.isValid(Array(code.dropLast()), of: message, key: key))
    #expect(!HMAC.isValid(code, of: octets("massage"), key: key))
    #expect(!HMAC.isValid(code, of: message, key: octets("kez")))
  }

  /// Test case 1 of RFC 5869. Its output has 42 octets, of which the first 32 are compared.
  @Test func keysOfRFC5869() {
    let key = HKDF.extract([UInt8](repeating: 0x0b, count: 22), salt: Array(0...12))
    #expect(hexadecimal(key) == "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
    #expect(
      hexadecimal(HKDF.expand(key, info: Array(0xf0...0xf9)))
        == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
  }

  /// The first two test vectors of RFC 7914, section 12. Their output has 64 octets, of which the first 32 are compared.
  @Test func keysOfRFC7914() {
    #expect(
      Scrypt.key(from: [], salt: [], cost: 16, blockSize: 1, parallelism: 1).map(hexadecimal)
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442")
    #expect(
      Scrypt.key(from: octets("password"), salt: octets("NaCl"), cost: 1024, blockSize: 8, parallelism: 16)
        .map(hexadecimal) == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
  }

  /// A cost that is no power of two, and a derivation that needs 2^58 octets of memory.
  @Test func impossibleParametersGiveNoKey() {
    #expect(Scrypt.key(from: [], salt: [], cost: 1000, blockSize: 8, parallelism: 1) == nil)
    #expect(Scrypt.key(from: [], salt: [], cost: 1 << 31, blockSize: 1 << 20, parallelism: 1) == nil)
  }
}
