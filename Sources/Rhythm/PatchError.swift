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

  /// The text of ``omitted``; nil if all faults are in ``faults``.
  public var omission: String? {
    let noun = omitted == 1 ? "error" : "errors"
    return omitted == 0 ? nil : "and \(omitted) more \(noun); correct the errors above first"
  }

  /// The faults and ``omission``, one per line.
  public var description: String { (faults.map(\.description) + [omission].compactMap(\.self)).joined(separator: "\n") }
}
