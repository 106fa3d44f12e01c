extension Sequence<String> {
  /// The names that a misspelt word probably means: at most three, the nearest first, each at the same smallest distance. Empty if no name
  /// is near enough. Case is ignored.
  ///
  /// The distance is the number of letters that are inserted, removed, replaced or exchanged with their neighbour (optimal string
  /// alignment). A word of four letters has one wrong letter at most, a longer word one more for every three letters.
  public func nearest(to word: String) -> [String] {
    let word = Array(word.lowercased())
    // A longer word is no misspelt name. The limit also bounds the time for a hostile word.
    guard (2...40).contains(word.count) else { return [] }
    var (best, names) = ((word.count + 1) / 3, [String]())
    for name in self {
      let distance = distance(word, Array(name.lowercased()))
      if distance < best { names = [] }
      if distance <= best { (best, names) = (distance, names + [name]) }
    }
    return Array(names.prefix(3))
  }

  /// The question that suggests the names nearest to a word, such as "did you mean cowbell or crash?"; nil if none is near.
  public func suggestion(for word: String) -> String? {
    let names = nearest(to: word)
    guard let last = names.last else { return nil }
    let earlier = names.dropLast().joined(separator: ", ")
    return "did you mean \(earlier.isEmpty ? "" : earlier + " or ")\(last)?"
  }
}

/// The number of letters that distinguish two words.
private func distance(_ a: [Character], _ b: [Character]) -> Int {
  // Row i contains the distances between the first i letters of `a` and each beginning of `b`.
  var (before, above) = ([Int](), Array(0...b.count))
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var least = Swift.min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = Swift.min(least, before[j - 1] + 1) }
      row.append(least)
    }
    (before, above) = (above, row)
  }
  return above[b.count]
}
