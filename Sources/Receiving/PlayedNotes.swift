import BasicContainers
import MIDI

/// The notes of the local player that still sound, in the order in which they were played, each with its route
/// (``PlayerRoute``). The Note Off of a note takes the route of its Note On, even if the player plays to other peers
/// meanwhile.
struct PlayedNotes: ~Copyable {
  /// A note that sounds. The channel is its input channel.
  private struct Note: BitwiseCopyable {
    let channel: Channel
    let key: UInt7
    var route: PlayerRoute
  }

  /// At most one note for each of the 128 keys of the 16 channels.
  private var notes = RigidArray<Note>(capacity: 16 * 128)

  /// Records a Note On.
  ///
  /// - Returns: the route of an earlier Note On of the same key, if it is not `route`. The caller must end the note on
  ///   the earlier route, because the next Note Off takes the new route.
  @_noLocks @_noAllocation
  mutating func begin(_ channel: Channel, _ key: UInt7, _ route: PlayerRoute) -> PlayerRoute? {
    guard let index = index(of: key, on: channel) else {
      notes.append(Note(channel: channel, key: key, route: route))
      return nil
    }
    let earlier = notes[index].route
    notes[index].route = route
    return earlier == route ? nil : earlier
  }

  /// Records a Note Off.
  ///
  /// - Returns: the route of the Note On; nil if there was none.
  @_noLocks @_noAllocation
  mutating func end(_ channel: Channel, _ key: UInt7) -> PlayerRoute? {
    guard let index = index(of: key, on: channel) else { return nil }
    return notes.remove(at: index).route
  }

  /// Removes the first note on `channel`, or the first one on any channel (nil).
  ///
  /// - Returns: the Note Off and the route of the note; nil if there is no note.
  @_noLocks @_noAllocation
  mutating func endNext(on channel: Channel?) -> (message: Message, route: PlayerRoute)? {
    var index = 0
    while index < notes.count {
      if channel == nil || channel?.wire == notes[index].channel.wire {
        let note = notes.remove(at: index)
        return (.noteOff(note.channel, key: note.key, velocity: UInt7(masking: 64)), note.route)
      }
      index += 1
    }
    return nil
  }

  /// Whether a note of another input channel has this route.
  @_noLocks @_noAllocation
  func sounds(on route: PlayerRoute, otherThan channel: Channel) -> Bool {
    var index = 0
    while index < notes.count {
      if notes[index].channel.wire != channel.wire, notes[index].route == route { return true }
      index += 1
    }
    return false
  }

  @_noLocks @_noAllocation
  private func index(of key: UInt7, on channel: Channel) -> Int? {
    var index = 0
    while index < notes.count {
      if notes[index].key.value == key.value, notes[index].channel.wire == channel.wire { return index }
      index += 1
    }
    return nil
  }
}
