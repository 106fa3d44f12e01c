import BasicContainers
import RTPMIDI

/// A table of the sources of all sessions, sorted by SSRC. Each entry contains the place of the session in the memory
/// of the receiver.
struct SourceTable: ~Copyable {
  private struct Entry: BitwiseCopyable {
    let source: StreamSource
    let place: SessionBlock.Place
  }

  private var entries = RigidArray<Entry>(capacity: SessionBlock.limit * SessionBlock.slots)

  /// Inserts a source, if there is room.
  @_noLocks @_noAllocation
  mutating func insert(_ source: StreamSource, at place: SessionBlock.Place) {
    guard entries.count < entries.capacity else { return }
    entries.insert(Entry(source: source, place: place), at: firstIndex(from: source.ssrc))
  }

  /// Removes the source of the session at a place.
  @_noLocks @_noAllocation
  mutating func remove(_ place: SessionBlock.Place, of ssrc: UInt32) {
    var index = firstIndex(from: ssrc)
    while index < entries.count, entries[index].source.ssrc == ssrc {
      if entries[index].place.block == place.block, entries[index].place.index == place.index {
        _ = entries.remove(at: index)
        return
      }
      index += 1
    }
  }

  /// The place of the session with the peer that has this SSRC and this address of its data port; nil if there is none.
  /// If there are several, the place of the newest session.
  @_noLocks @_noAllocation
  func place(of ssrc: UInt32, at address: SocketAddress) -> SessionBlock.Place? {
    guard let index = index(of: ssrc, at: address) else { return nil }
    return entries[index].place
  }

  /// The SSRC of the local peer in the session with this source; nil if there is no such session.
  @_noLocks @_noAllocation
  func localSSRC(for ssrc: UInt32, at address: SocketAddress) -> UInt32? {
    guard let index = index(of: ssrc, at: address) else { return nil }
    return entries[index].source.localSSRC
  }

  /// Whether a peer with this SSRC on the host of `address` is in session. The port is not compared, because a peer also sends from its
  /// control port.
  @_noLocks @_noAllocation
  func contains(_ ssrc: UInt32, onHostOf address: SocketAddress) -> Bool {
    if case .some = place(of: ssrc, onHostOf: address) { return true }
    return false
  }

  /// The place of the session with a peer that has this SSRC, on the host of `address`; nil if there is none.
  @_noLocks @_noAllocation
  func place(of ssrc: UInt32, onHostOf address: SocketAddress) -> SessionBlock.Place? {
    var index = firstIndex(from: ssrc)
    while index < entries.count, entries[index].source.ssrc == ssrc {
      if entries[index].source.address.isSameHost(as: address) { return entries[index].place }
      index += 1
    }
    return nil
  }

  /// The index of the newest entry with this SSRC and address; nil if there is none. The search is linear, because few
  /// sources have the same SSRC. Of the sources with one SSRC, the newest comes first.
  @_noLocks @_noAllocation
  private func index(of ssrc: UInt32, at address: SocketAddress) -> Int? {
    var index = firstIndex(from: ssrc)
    while index < entries.count {
      let source = entries[index].source
      if source.ssrc != ssrc { return nil }
      if source.address == address { return index }
      index += 1
    }
    return nil
  }

  /// The index of the first source whose SSRC is not less than `ssrc`. Binary search.
  @_noLocks @_noAllocation
  private func firstIndex(from ssrc: UInt32) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].source.ssrc < ssrc { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
