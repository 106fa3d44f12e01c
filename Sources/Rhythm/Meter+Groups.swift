public import MusicalTime

// The beats of a bar as musicians feel and count them: groups of units of the meter, such as 2 + 2 + 3 eighth notes in 7/8. The groups
// have no effect on the time of the strokes.
extension Meter {
  /// The usual groups, in units: threes in 6/8, 9/8, 12/8 and 15/8, 2 + 2 + 3 in 7/8, 3 + 2 in 5/8. In any other meter, each unit is a group.
  ///
  /// Real-time: not safe.
  public var usualGroups: [Int] {
    if unit == 8 {
      if beats == 5 { return [3, 2] }
      if beats == 7 { return [2, 2, 3] }
      if beats > 3, beats % 3 == 0 { return Array(repeating: 3, count: beats / 3) }
    }
    return Array(repeating: 1, count: beats)
  }

  /// Reads groups such as `2+2+3`. Nil unless the text consists of positive numbers whose sum is the number of units of a bar.
  ///
  /// Real-time: not safe.
  func groups(_ text: String) -> [Int]? {
    let numbers = text.split(separator: "+", omittingEmptySubsequences: false).map { Int($0.trimmed) }
    let groups = numbers.compactMap { $0 }.filter { (1...beats).contains($0) }
    return groups.count == numbers.count && groups.reduce(0, +) == beats ? groups : nil
  }
}
