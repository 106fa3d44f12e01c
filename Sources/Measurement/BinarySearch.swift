extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that fulfils `condition`, by binary search; the end index if there is none. All elements after
  /// an element that fulfils the condition must fulfil it too.
  func firstIndex(bySearching condition: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
