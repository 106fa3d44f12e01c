import MusicalTime

extension Nanoseconds {
  /// The duration in microseconds with one decimal place, rounded half away from zero, for example "-20.8".
  var microsecondsText: String {
    let tenths = count.magnitude / 100 + (count.magnitude % 100 >= 50 ? 1 : 0)
    return "\(count < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }
}
