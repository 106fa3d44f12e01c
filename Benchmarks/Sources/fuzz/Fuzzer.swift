/// What is fed hostile inputs, one at a time.
protocol Fuzzer: AnyObject {
  /// Makes an input and feeds it.
  func feed() throws(FuzzFailure)
  /// What came of them so far, in a few words.
  var account: String { get }
}

/// What should not have happened.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
