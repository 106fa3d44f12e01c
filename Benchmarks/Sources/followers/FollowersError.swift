/// The reason why the benchmark cannot run, as one line: `thing: reason; remedy`.
struct FollowersError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
