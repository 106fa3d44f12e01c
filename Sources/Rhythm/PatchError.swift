/// The error for an invalid patch file, with all faults found.
///
/// Real-time: not safe.
public struct PatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The faults in the order of the file: 1...``maximumFaults``.
  public let faults: [PatchFault]
  /// The number of further faults.
  public let omitted: Int

  /// The largest number of faults that are reported for one file. The limit bounds the memory for a hostile file.
  public static let maximumFaults = 50

  /// The text of each fault, and of the number of further faults if there are any.
  public var lines: [String] {
    let noun = omitted == 1 ? "error" : "errors"
    return faults.map(\.description)
      + (omitted == 0
        ? []
        : [
          "and \(omitted) more \(noun); correct the errors above first"
        ])
  }

  /// ``lines``, one per line.
  public var description: String { lines.joined(separator: "\n") }
}
