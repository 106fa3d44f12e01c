public import MIDI
public import MusicalTime
import PeerProtocol

// How lively everybody is: everybody tells the master, and the master tells everybody what it comes to.
extension Ensemble {
  /// Activity has a channel of its own.
  static var activityChannel: Channel { Channel(wire: 0) }
  /// Expression: what a peer tells of its own level.
  static var ownLevel: UInt7 { 11 }
  /// Channel Volume: what the master tells of the total.
  static var totalLevel: UInt7 { 7 }

  /// The player's activity, smoothed, 0...127.
  public var activity: UInt8 { activities.level.value }

  /// What the player's keys or controller stand at, 0...127.
  public var heldActivity: UInt8 { activities.level.held }

  /// What the master makes of everybody's activity.
  public var activityRule: ActivityRule {
    get { activities.total.rule }
    set { activities.total.rule = newValue }
  }

  /// The total: at the master what everybody's levels come to now, once it knows them, elsewhere what is played by; while
  /// nobody plays the own level.
  public func totalActivity(at now: Instant) -> UInt8 {
    switch role {
    case .idle: activity
    case .follower: schedule.intensity.value(at: schedule.tick(at: now))
    case .master where now < activities.keepsUntil: schedule.intensity.value(at: schedule.tick(at: now))
    case .master:
      activities.total.total(with: activity) { peer in
        guard company.contains(peer), let heard = acquaintances[peer]?.heard else { return false }
        return now - heard <= ActivityTotal.patience && admits(.activity, from: peer)
      }
    }
  }

  /// The player's activity by keys or by a controller is this from now on, 0...127.
  public mutating func setActivity(_ level: UInt8, at now: Instant) {
    activities.level.set(level, at: now)
    advanceActivity(to: now)
  }

  /// The player has struck a note.
  public mutating func played(at now: Instant) {
    activities.level.played(at: now)
    advanceActivity(to: now)
  }

  /// A message of a channel from the peer with this identity.
  ///
  /// - Parameters:
  ///   - instant: when it counts, by the sender's clock, in whole units of 100 us.
  ///   - isRecovered: whether a recovery journal told of it, which does not tell when it counts.
  /// - Returns: whether it is about activity, and so for nobody else.
  public mutating func received(
    _ message: Message, at instant: Instant, isRecovered: Bool, from sender: Identity, now: Instant
  ) -> Bool {
    guard case .controlChange(Self.activityChannel, let controller, let value) = message,
      controller == Self.ownLevel || controller == Self.totalLevel
    else { return false }
    guard company.contains(sender) else {
      rejected += 1
      return true
    }
    if controller == Self.ownLevel {
      activities.total.told(value.value, by: sender)
    } else if role == .follower(of: sender) {
      heard(ActivityExchange.Told(value: value.value, instant: instant, isRecovered: isRecovered), at: now)
    }
    return true
  }

  /// When ``advanceActivity(to:)`` has something to do next.
  var activityDeadline: Instant {
    let next = activities.level.nextDeadline
    switch role {
    case .idle: return next
    case .follower(let master): return hasReported && !isOffTotal(of: master) ? next : Instant(nanoseconds: .min)
    case .master: return min(next, activities.repeats.first ?? .distantFuture, decisionDeadline)
    }
  }

  /// Takes the steps that are due by `now`, and tells of what has come of them.
  mutating func advanceActivity(to now: Instant) {
    activities.level.advance(to: now)
    if role != .master { (activities.decided, activities.repeats) = (nil, []) }
    switch role {
    case .idle:
      activities.keepsUntil = Instant(nanoseconds: .min)
      activities.reported = nil
      activities.heard = nil
      activities.early = []
    case .follower(let master):
      report(to: master, at: now)
      goByTotal(of: master, at: now)
    case .master:
      activities.reported = nil
      activities.early = []
      decideTotal(at: now)
      // By which it goes on should another outrank it.
      activities.heard = schedule.intensity.next
    }
  }

  /// Tells the master of the own level: when it is another master or another rhythm, and when it has changed. As the level
  /// changes at most every 50 ms, that is 20 times a second. Each presence says it again.
  private mutating func report(to master: Identity, at now: Instant) {
    guard let claim, !hasReported else { return }
    activities.reported = (activity, claim)
    send(Self.ownLevel, activity, at: now, to: master)
  }

  private var hasReported: Bool {
    guard let reported = activities.reported else { return false }
    return reported.claim == claim && reported.level == activity
  }

  mutating func send(_ controller: UInt7, _ value: UInt8, at instant: Instant, to peer: Identity?) {
    let message = Message.controlChange(
      Self.activityChannel, controller: controller, value: UInt7(clamping: Int(value)))
    emit(.send(message, at: instant, to: peer))
  }
}
