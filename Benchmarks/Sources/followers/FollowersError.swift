/// A missing requirement: `thing: reason; remedy`.
struct FollowersError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
