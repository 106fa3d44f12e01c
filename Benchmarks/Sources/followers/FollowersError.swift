/// What is needed and not there, in one line.
struct FollowersError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
