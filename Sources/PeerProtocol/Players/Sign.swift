/// The sign of a player: a shape in a colour, by which children recognise each other without reading.
///
/// There are 64 signs. Number k has the colour k mod 8 and the shape (k + k / 8) mod 8, so the first eight signs differ in both, and no two
/// numbers have the same pair.
public struct Sign: Hashable, Sendable, BitwiseCopyable {
  public enum Shape: UInt8, CaseIterable, Sendable {
    case star, circle, square, triangle, clover, hexagon, diamond, plus
  }
  public enum Colour: UInt8, CaseIterable, Sendable { case yellow, blue, pink, green, violet, turquoise, lime, apricot }

  /// The number of signs.
  public static var count: Int { 64 }
  /// 0..<``count``.
  public let number: UInt8

  /// A number that is not less than ``count`` stands for its remainder: beyond 64 players, signs repeat, and the name tells.
  public init(_ number: Int) { self.number = UInt8(number & (Self.count - 1)) }

  /// The sign with this shape and this colour.
  public init(_ shape: Shape, _ colour: Colour) {
    // The row k / 8 is the distance of the shape from the colour.
    let row = (Int(shape.rawValue) - Int(colour.rawValue)) & 7
    self.init(row * 8 + Int(colour.rawValue))
  }

  public var colour: Colour { Colour(rawValue: number % 8)! }
  public var shape: Shape { Shape(rawValue: (number + number / 8) % 8)! }

  /// The sign in words, the first name of a player who has given none: `Yellow Star`.
  public var name: String { "\(colour)".capitalizedFirst + " " + "\(shape)".capitalizedFirst }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
