/// The kinds of frames. <doc:Protocol> describes their payloads.
enum FrameKind: UInt8, CaseIterable {
  // From the peer to the page.
  case welcome = 1
  case rhythm, levels, ensemble, patch, sounds, library, notices, calibration, partners
  case clockReply = 16
  case clicks, delay
  // From the page to the peer.
  case clockRequest = 128
  case command, activity, output

  /// The parts of the state, each of which replaces its predecessor.
  static let state: [FrameKind] = [
    .rhythm, .levels, .ensemble, .patch, .sounds, .library, .notices, .calibration, .partners,
  ]
}
