/// A test that feeds hostile inputs to a part of the program, and checks invariants after each input.
public protocol Fuzzer: AnyObject {
  /// Feeds `count` more inputs.
  ///
  /// - Throws: ``FuzzFailure`` at the first input that violates an invariant.
  func run(inputs count: Int) throws(FuzzFailure)

  /// A summary of all inputs so far, in one line.
  var account: String { get }
}

/// A violated invariant, with the seed of the fuzzer and the number of the input.
public struct FuzzFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ violation: String, seed: UInt64, input: Int) {
    description = "seed \(seed), input \(input): \(violation)"
  }
}
