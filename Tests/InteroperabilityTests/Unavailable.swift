/// What a test needs and this machine does not have: the thing, the reason and the remedy in one line.
struct Unavailable: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
