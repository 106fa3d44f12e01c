import MIDI
import MusicalTime
import Sending

/// The messages of the local player: where they go, and which notes must be ended.
///
/// The input channel of a message is the channel on which a program sent it. Other peers get the message on the channel
/// of its route (``PlayerRoute``).
///
/// The messages come from programs at the ALSA port, which share one ``InputLimit``, and from the control thread.
/// A message can lead to several deliveries, which ``next()`` returns.
struct LocalPlayer: ~Copyable {
  /// A message on its input channel, and where it goes.
  struct Delivery: BitwiseCopyable {
    let message: Message
    let route: PlayerRoute
    /// Whether a page or a device of the local peer has played the message.
    var isOfPage = false
  }

  /// The routes by input channel.
  var routes: InlineArray<16, PlayerRoute>
  private var played = PlayedNotes()
  private var programs = ProgramNotes()
  /// The keys and pedals that the player holds on routes to all peers, *as played*, that is, on their input channels.
  /// Standard devices get the messages of such routes on these channels.
  private(set) var asPlayed = HeldNotes()
  /// The keys whose notes the muting has refused or ended, on their input channels. The Note Offs of these keys have no effect.
  private var silenced = HeldNotes()
  /// Limits the messages of programs.
  var limit = InputLimit()
  /// The number of messages that were refused because there were too many, or because the player has left.
  var refused: Int64 { @_noLocks @_noAllocation get { limit.refused + refusedAfterLeaving } }
  private var refusedAfterLeaving: Int64 = 0

  // Work in progress.

  /// The deliveries of the message in progress before and after the Note Offs of ``ending``.
  private var (first, last): (Delivery?, Delivery?) = (nil, nil)
  /// The notes that are being ended.
  private var ending = Ending.none
  /// Whether all notes of the player are to be ended, including the notes that the control thread has played. The notes and pedals
  /// that programs hold are ended first.
  private var endsAll = false
  /// Whether the player has left.
  private var hasLeft = false
  /// Whether new notes are refused, because the master has muted the player or has made all players quiet.
  private var isMuted = false

  private enum Ending: BitwiseCopyable {
    case none
    /// The notes of an input channel. No Note Offs are sent on the route `except`, because the message itself ends the
    /// notes there.
    case channel(Channel, except: PlayerRoute?)
    case all
  }

  init() {
    routes = InlineArray { PlayerRoute.standard(for: Channel(wire: UInt8($0))) }
  }

  /// Plays a message of a program that ``admits(_:from:at:)`` has admitted.
  @_noLocks @_noAllocation
  mutating func play(_ message: Message, from program: ProgramID) {
    if play(message) { programs.record(message, of: program) }
  }

  /// Returns whether a message of a program is played now. A message that ends a note of the program is always played.
  @_noLocks @_noAllocation
  mutating func admits(_ message: Message, from program: ProgramID, at arrival: Instant) -> Bool {
    if programs.ends(with: message, of: program) { return true }
    if case .admitted = limit.admit(message, at: arrival) { return true }
    return false
  }

  /// Plays a message. ``next()`` must have returned nil before.
  ///
  /// - Parameter isOfPage: whether a page or a device of the local peer has played the message, which the muting of the local player does not
  ///   concern.
  /// - Returns: whether the message is played. A message without a channel is ignored. A Note On is refused after
  ///   ``releaseAll()``, and while the player is muted. The Note Off of a note that was refused or ended by the muting is refused, too.
  @_noLocks @_noAllocation @discardableResult
  mutating func play(_ message: Message, isOfPage: Bool = false) -> Bool {
    guard let channel = message.channel else { return false }
    // Expression on channel 1 sets the activity of the player. Only the control thread gets this message.
    if message.setsActivity {
      last = Delivery(message: message, route: PlayerRoute(.none, on: channel))
      return true
    }
    var route = routes[Int(channel.wire)]
    if let key = message.key {
      if message.silencesNote {
        if let earlier = played.end(channel, key) {
          route = earlier
        } else if isOfPage {
          // A page or a device that is muted plays no Note On.
          return false
        } else if silenced.ends(with: message) {
          silenced.record(message)
          return false
        }
      } else {
        if isMuted, !isOfPage {
          silenced.record(message)
          return false
        }
        guard !hasLeft else {
          refusedAfterLeaving += 1
          return false
        }
        if let ended = played.begin(channel, key, route) {
          first = Delivery(message: .noteOff(channel, key: key, velocity: UInt7(masking: 64)), route: ended)
        }
      }
    }
    if message.endsAllNotes {
      // Several input channels can share a route. If notes of another input channel sound on this route, the message
      // would end them too. In this case, Note Offs end the notes of this input channel, and the message is not sent.
      let isShared = played.sounds(on: route, otherThan: channel)
      ending = .channel(channel, except: isShared ? nil : route)
      if isShared { return true }
    }
    last = Delivery(message: message, route: route, isOfPage: isOfPage)
    return true
  }

  /// Ends the notes that programs hold, because they have disconnected.
  @_noLocks @_noAllocation
  mutating func release(_ selection: ProgramID.Selection) { programs.release(selection) }

  /// Ends all notes, because the player leaves. From now on, every Note On is refused.
  @_noLocks @_noAllocation
  mutating func releaseAll() {
    programs.release(.all)
    (endsAll, hasLeft) = (true, true)
  }

  /// If `isMuted` is true, ends all notes and refuses new notes from now on. If it is false, admits new notes again.
  @_noLocks @_noAllocation
  mutating func mute(_ isMuted: Bool) {
    self.isMuted = isMuted
    guard isMuted else { return }
    programs.release(.all)
    endsAll = true
  }

  /// Returns the next delivery; nil after the last one.
  @_noLocks @_noAllocation
  mutating func next() -> Delivery? {
    while true {
      if let delivery = nextOfMessage() {
        if case .all = delivery.route.receiver { asPlayed.record(delivery.message) }
        return delivery
      }
      if let message = programs.releaseNext() {
        play(message)
        silence(message)
      } else if endsAll {
        (endsAll, ending) = (false, .all)
      } else {
        return nil
      }
    }
  }

  /// Returns the next delivery of the last message.
  @_noLocks @_noAllocation
  private mutating func nextOfMessage() -> Delivery? {
    if let delivery = first {
      first = nil
      return delivery
    }
    while let (message, route) = endNext() {
      if case .all = ending { silence(message) }
      if case .channel(_, let except?) = ending, except == route { continue }
      return Delivery(message: message, route: route)
    }
    ending = .none
    defer { last = nil }
    return last
  }

  /// Records that the muting has ended a note.
  ///
  /// - Parameter end: the Note Off.
  @_noLocks @_noAllocation
  private mutating func silence(_ end: Message) {
    guard isMuted, let channel = end.channel, let key = end.key else { return }
    silenced.record(.noteOn(channel, key: key, velocity: UInt7(masking: 64)))
  }

  /// Removes the next note that is being ended.
  @_noLocks @_noAllocation
  private mutating func endNext() -> (message: Message, route: PlayerRoute)? {
    switch ending {
    case .none: nil
    case .channel(let channel, _): played.endNext(on: channel)
    case .all: played.endNext(on: nil)
    }
  }
}

extension Message {
  /// Whether the local player sets its activity with the message: expression (controller 11) on channel 1.
  ///
  /// Real-time: safe.
  public var setsActivity: Bool {
    @_noLocks @_noAllocation get {
      guard case .controlChange(let channel, let controller, _) = self else { return false }
      return channel.wire == 0 && controller.value == 11
    }
  }
}
