extension Span where Element == UInt8 {
  /// Returns the first `count` octets as an array.
  ///
  /// Real-time: not safe.
  package func array(first count: Int) -> [UInt8] {
    var array = [UInt8](repeating: 0, count: count)
    var target = array.mutableSpan
    for index in 0..<count { target[index] = self[index] }
    return array
  }
}
