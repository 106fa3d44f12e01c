import Testing

@testable import Transports

/// Tests of the names of ports, which other programs choose.
@Suite struct PortNameTests {
  /// ALSA cuts a name after 63 octets. The 62 letters leave one octet of the two of ü.
  @Test(
    arguments: [
      (Array("Keys".utf8), "Keys"), (Array("K\u{202E}sye\u{2066}\u{200F}\u{61C}".utf8), "Ksye"), ([], ""),
      ([UInt8](repeating: 0x61, count: 62) + [0xC3], String(repeating: "a", count: 62)),
    ] as [([UInt8], String)])
  func namesArePrintableAndComplete(octets: [UInt8], name: String) {
    let text = (octets + [0]).map { CChar(bitPattern: $0) }
    #expect(text.withUnsafeBufferPointer { Sequencer.name($0.baseAddress) } == name)
  }
}
