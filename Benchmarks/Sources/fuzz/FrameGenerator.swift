import _TestSupport

/// Generates WebSocket frames of a page: commands with extreme values, and frames that violate RFC 6455.
struct FrameGenerator {
  private static let numbers = [
    "-1", "0", "1", "64", "100", "127", "128", "2000000", "1e308", "-1e308", "1e-400", "9223372036854775807",
    "-9223372036854775808", "99999999999999999999", "1.5", "null", "\"x\"", "true", "[]",
  ]
  private static let verbs = [
    "start", "stop", "continue", "count-in", "tempo", "nudge", "patch", "level", "plays", "quiet", "mute", "total",
    "loudness", "offer", "take", "gate", "connect", "policy", "activity", "calibrate", "clicking", "note", "shape",
    "phrase", "",
  ]
  private static let members = [
    "bars", "bpm", "percent", "on", "value", "turn", "key", "velocity", "controller", "part", "peer", "name", "rule",
    "kind", "action", "host", "who",
  ]
  private static let texts = [
    "bass", "drums", "0123456789abcdef", "", "street", "mean", "notes", "record", "send", "anyone", "\\u0000",
    "\\ud800",
    "../../etc/passwd",
  ]

  /// Returns a frame, and whether it violates the protocol, so that the server must close the connection.
  func frame(_ random: inout SplitMix) -> (octets: [UInt8], isInvalid: Bool) {
    func isOneIn(_ count: Int, _ random: inout SplitMix) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    let opcode: UInt8 = isOneIn(4, &random) ? UInt8.random(in: 0...15, using: &random) : 2
    let reserved: UInt8 = isOneIn(30, &random) ? UInt8.random(in: 1...7, using: &random) << 4 : 0
    let isFinal = !isOneIn(20, &random)
    let isMasked = !isOneIn(30, &random)
    var payload = opcode == 2 ? message(&random) : noise(upTo: 130, &random)
    if isOneIn(40, &random) { payload = noise(upTo: 4096, &random) }
    let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
    var octets: [UInt8] = [(isFinal ? 0x80 : 0) | reserved | opcode]
    octets += length(payload.count, mask: isMasked ? 0x80 : 0, &random)
    if isMasked { octets += key + payload.enumerated().map { $1 ^ key[$0 % 4] } } else { octets += payload }
    let isControl = opcode >= 8
    let isInvalid =
      !isMasked || reserved != 0 || ![1, 2, 8, 9, 10].contains(opcode) || (isControl && payload.count > 125)
      || !isFinal || (opcode == 8 && payload.count == 1) || payload.count > 2048
    // Close frames and text end the connection too.
    return (octets, isInvalid || opcode == 1 || opcode == 8)
  }

  /// The octets of a length (RFC 6455, section 5.2), seldom in a longer form than necessary.
  private func length(_ count: Int, mask: UInt8, _ random: inout SplitMix) -> [UInt8] {
    let form = Int.random(in: 0..<20, using: &random)
    if count < 126, form > 1 { return [mask | UInt8(count)] }
    if form > 0 { return [mask | 126, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)] }
    return [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * (7 - $0))) }
  }

  /// A frame of the page's protocol: version, kind, zero, sequence number, instant, and the payload.
  private func message(_ random: inout SplitMix) -> [UInt8] {
    let isDamaged = Int.random(in: 0..<10, using: &random) == 0
    let kind: UInt8 = isDamaged ? .random(in: 0...255, using: &random) : .random(in: 128...131, using: &random)
    let header = [isDamaged ? UInt8.random(in: 0...2, using: &random) : 1, kind, 0, 0]
    return header + noise(of: 12, &random) + (kind == 129 ? Array(command(&random).utf8) : noise(upTo: 6, &random))
  }

  private func command(_ random: inout SplitMix) -> String {
    if Int.random(in: 0..<50, using: &random) == 0 { return String(repeating: "[", count: 1500) }
    var members = ["\"do\":\"\(Self.verbs.randomElement(using: &random) ?? "")\""]
    for name in Self.members where Int.random(in: 0..<3, using: &random) == 0 {
      let text = "\"\(Self.texts.randomElement(using: &random) ?? "")\""
      let number = Self.numbers.randomElement(using: &random) ?? "0"
      members.append("\"\(name)\":\(Bool.random(using: &random) ? text : number)")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private func noise(of count: Int, _ random: inout SplitMix) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
  private func noise(upTo limit: Int, _ random: inout SplitMix) -> [UInt8] {
    noise(of: Int.random(in: 0...limit, using: &random), &random)
  }
}
