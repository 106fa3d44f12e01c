import Yams

/// A position in a text, as shown in editors: line and column from 1, the column in Unicode scalars.
struct TextPosition: Hashable {
  let line: Int
  let column: Int

  static let start = TextPosition(line: 1, column: 1)
}

extension TextPosition {
  init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

extension Node {
  /// The position of the beginning of the node.
  var position: TextPosition { mark.map { TextPosition($0) } ?? .start }
}
