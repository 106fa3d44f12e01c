import Yams

/// A position in a text, as shown in editors: line and column from 1, the column in Unicode scalars.
struct Place: Hashable {
  let line: Int
  let column: Int

  static let start = Place(line: 1, column: 1)
}

extension Place {
  init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

extension Node {
  /// The position of the beginning of the node.
  var place: Place { mark.map { Place($0) } ?? .start }
}
