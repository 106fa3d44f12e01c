/// A patch file that cannot be understood: every fault found in it.
public struct PatchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The faults in the order of the file: at least one, at most ``mostFaults``.
  public let faults: [PatchFault]
  /// How many more there are.
  public let omitted: Int

  /// The most faults told of one file. A person mends a few at a time; a file made to harm must not fill the memory.
  public static let mostFaults = 50

  /// A line a fault.
  public var description: String {
    let lines = faults.map(\.description).joined(separator: "\n")
    return omitted == 0 ? lines : lines + "\nand \(omitted) more; mend these first"
  }
}
