import MusicalTime

/// The common events of players without a rhythm: actions of several players that belong together, because they are nearly simultaneous.
///
/// One player is the reference, and each of its actions is an event. An action of another player belongs to the event if it is the nearest
/// of its player, if the event is the nearest event to the action, and if they are at most a window apart.
///
/// Events are numbered by an even pulse, so that the figures of a grid (``GridAction``) also describe players without a grid. The distance
/// of two lines is the median interval of the reference. An interval of the reference counts as the nearest whole number of lines, at least
/// one. A pause of more than four lines begins a new run.
enum OnsetEvents {
  /// The length of a pause that begins a new run, in lines.
  private static let longestRest = 4.0

  /// Places the actions of all players.
  ///
  /// - Parameters:
  ///   - players: the instants of the actions of each player in nanoseconds of a common clock, ascending.
  ///   - reference: the index of the reference.
  ///   - window: the greatest distance of two actions of an event.
  /// - Returns: the actions of each player that belong to an event. The asynchrony of an action is relative to the even pulse of its run.
  ///   It has a meaning only in comparison with another action of the same run.
  static func place(_ players: [[Int64]], reference: Int, window: Nanoseconds) -> [[GridAction]] {
    let events = players[reference]
    let lines = Self.lines(of: events)
    return players.enumerated().map { index, actions in
      let matches = index == reference ? events.indices.map { ($0, $0) } : matches(events, actions, window: window)
      return matches.map { event, action in
        let line = lines[event]
        return GridAction(
          run: line.run, line: line.number, asynchrony: Double(actions[action] - line.instant), unit: line.distance,
          instant: actions[action])
      }
    }
  }

  /// A line of the even pulse.
  private struct Line {
    var run: Int
    var number: Int64
    /// The instant and the distance of two lines in nanoseconds.
    var instant: Int64
    var distance: Double
  }

  private static func lines(of events: [Int64]) -> [Line] {
    let intervals = zip(events.dropFirst(), events).map { Double($0 - $1) }.filter { $0 > 0 }.sorted()
    let distance = intervals.isEmpty ? 1 : intervals[Distribution.rank(0.5, of: intervals.count) - 1]
    var lines: [Line] = []
    // The first event of the run, and the number of its line.
    var start = (instant: events.first ?? 0, number: Int64(0))
    for (index, event) in events.enumerated() {
      var line = Line(run: 0, number: 0, instant: event, distance: distance)
      if let last = lines.last {
        let length = Double(event - events[index - 1]) / distance
        line.run = last.run + (length > longestRest ? 1 : 0)
        line.number = last.number + max(1, Int64(length.rounded()))
        if line.run != last.run { start = (event, line.number) }
        line.instant = start.instant + Int64((Double(line.number - start.number) * distance).rounded())
      }
      lines.append(line)
    }
    return lines
  }

  /// Returns the pairs of an event and an action that are nearest to each other, as indices. Both arrays are ascending.
  static func matches(_ events: [Int64], _ actions: [Int64], window: Nanoseconds) -> [(Int, Int)] {
    /// Returns the index of the element that is nearest to `instant`; the earlier of two.
    func nearest(_ instants: [Int64], to instant: Int64) -> Int? {
      let next = instants.firstIndex(bySearching: { $0 >= instant })
      guard next < instants.count else { return instants.isEmpty ? nil : instants.count - 1 }
      guard next > 0, instant - instants[next - 1] <= instants[next] - instant else { return next }
      return next - 1
    }
    return events.indices.compactMap { event in
      guard let action = nearest(actions, to: events[event]), nearest(events, to: actions[action]) == event,
        (actions[action] - events[event]).magnitude <= window.count.magnitude
      else { return nil }
      return (event, action)
    }
  }
}
