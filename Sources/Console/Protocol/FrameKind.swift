/// The kinds of frames. <doc:Protocol> describes their payloads.
enum FrameKind: UInt8, CaseIterable {
  // From the peer to the page. `partners` contains the keys that remote players hold, and the controllers that they can set (see
  // ``PlayedMessages``). `alternatives` lists the peers to which the page moves if its own peer disappears. In a calibration, `clicks`
  // asks the page to click, and `delay` contains the result.
  case welcome = 1
  case rhythm, levels, ensemble, patch, sounds, library, notices, calibration, partners, alternatives
  case clockReply = 16
  case clicks, delay
  // From the page to the peer. `output` reports the time from the sending of a change of the rhythm by the peer until the page sounds the
  // change.
  case clockRequest = 128
  case command, activity, output

  /// The kinds that contain a part of the state of the peer. A frame of such a kind replaces the earlier frame of the same kind.
  static let state: [FrameKind] = [
    .rhythm, .levels, .ensemble, .patch, .sounds, .library, .notices, .calibration, .partners, .alternatives,
  ]
}
