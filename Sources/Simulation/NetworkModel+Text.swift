import MusicalTime

/// The text format of a network: one key and one number per line.
///
///     # a full concert hall
///     delay_ms   8        the mean delay
///     jitter_ms  3        the standard deviation
///     loss       0.05     a fraction of all packets, like duplicate and reorder
///     burst      4        the mean number of consecutive losses
///     duplicate  0.001
///     reorder    0.02
///
/// The default of `burst` is 1, the default of all other keys is 0. A colon may follow a key, as in YAML. Text after a number or after #
/// is a comment.
extension NetworkModel {
  /// A line that cannot be parsed.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    public let line: Int
    public let reason: String
    public var description: String { "\(file):\(line): \(reason)" }
  }

  /// Reads a network from `text`.
  ///
  /// - Parameter file: the name of the file, for errors and for ``name``.
  public init(text: String, file: String) throws(Fault) {
    self.init(name: file, delay: .zero, jitter: .zero)
    var seen: Set<Substring> = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let word = words.first, !word.hasPrefix("#") else { continue }
      let key = word.hasSuffix(":") ? word.dropLast() : word
      func fault(_ reason: String) -> Fault { Fault(file: file, line: index + 1, reason: reason) }
      guard words.count > 1, let value = Double(words[1]), value.isFinite else {
        throw fault("\(key): no number follows; write a setting and a number, such as `loss 0.05`")
      }
      guard seen.insert(key).inserted else { throw fault("\(key): given twice; remove one of the lines") }
      // Reads the value as milliseconds.
      func length() throws(Fault) -> Nanoseconds {
        guard (0...10_000).contains(value) else {
          throw fault("\(key) \(words[1]): out of range; give 0 to 10000 milliseconds")
        }
        return Nanoseconds(Int64(value * 1e6))
      }
      // Reads the value as a fraction.
      func share() throws(Fault) -> Double {
        guard (0...1).contains(value) else {
          throw fault("\(key) \(words[1]): out of range; give a fraction from 0 to 1, such as 0.05 for 5 %")
        }
        return value
      }
      switch key {
      case "delay_ms": delay = try length()
      case "jitter_ms": jitter = try length()
      case "loss": loss = try share()
      case "duplicate": duplicate = try share()
      case "reorder": reorder = try share()
      case "burst":
        guard (1...1000).contains(value) else {
          throw fault("burst \(words[1]): out of range; give 1 to 1000 packets")
        }
        burst = value
      default:
        throw fault("\(key): not known; give delay_ms, jitter_ms, loss, burst, duplicate or reorder")
      }
    }
  }
}
