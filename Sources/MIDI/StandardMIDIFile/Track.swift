extension StandardMIDIFile {
  /// A track: events in the order of time, and the end of the track.
  public struct Track: Hashable, Sendable {
    /// The events without End of Track. The ticks do not decrease.
    public var events: [Event]
    /// The tick of End of Track: at least the tick of the last event. In a loop, the track begins again at this tick.
    public var end: Int64

    /// Creates a track.
    ///
    /// - Parameter end: the tick of End of Track; nil: the tick of the last event, or 0 without events.
    ///
    /// Real-time: not safe.
    public init(_ events: [Event] = [], end: Int64? = nil) {
      self.events = events
      self.end = end ?? events.last?.tick ?? 0
    }

    /// The text of the first Track Name. In the first track, this is the name of the sequence. Nil without a Track Name.
    ///
    /// Real-time: not safe.
    public var name: String? {
      for case .meta(let meta) in events.lazy.map(\.content) {
        if let name = meta.trackName { return name }
      }
      return nil
    }
  }
}
