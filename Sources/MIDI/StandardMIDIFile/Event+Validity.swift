extension StandardMIDIFile.Event.Content {
  /// Returns the index of the first byte that a SysEx event cannot contain; nil if `bytes` is valid. A SysEx event contains data bytes,
  /// and may end with F7.
  static func invalidIndex(inSystemExclusive bytes: [UInt8]) -> Int? {
    let invalid = bytes.firstIndex { $0 >= 0x80 }
    return invalid == bytes.count - 1 && bytes.last == 0xF7 ? nil : invalid
  }

  /// Returns the system message that `bytes` encodes; nil if `bytes` is not exactly one system message.
  static func systemMessage(_ bytes: [UInt8]) -> Message? {
    guard let status = bytes.first, status >= 0xF0, Message.dataCount(status: status) == bytes.count - 1,
      bytes.dropFirst().allSatisfy({ $0 < 0x80 })
    else { return nil }
    return Message(
      status: status, UInt7(masking: bytes.count > 1 ? bytes[1] : 0), UInt7(masking: bytes.count > 2 ? bytes[2] : 0))
  }
}
