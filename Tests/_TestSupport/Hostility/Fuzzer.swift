/// What feeds hostile inputs to something of RTP-MIDI, and looks after each at what must always hold.
public protocol Fuzzer: AnyObject {
  /// Gives `count` more inputs.
  ///
  /// - Throws: ``FuzzFailure`` at the first after which something does not hold.
  func run(inputs count: Int) throws(FuzzFailure)

  /// What has come of all inputs so far, in one line.
  var account: String { get }
}

/// What did not hold, and after which input of which seed.
public struct FuzzFailure: Error, CustomStringConvertible {
  public let description: String

  init(_ what: String, seed: UInt64, input: Int) { description = "seed \(seed), input \(input): \(what)" }
}
