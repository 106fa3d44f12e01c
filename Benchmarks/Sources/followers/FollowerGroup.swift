import CEpoll
import Glibc
import MusicalTime
import RTPMIDI

/// Many followers of one master on one thread. The thread waits for all sockets with epoll, and checks the deadlines every 2 ms.
///
/// All followers except the first invite the master, a few at a time. The master invites the first follower, which accepts when all
/// other followers are in session. A master with --connect to the first follower and --start therefore starts the rhythm when all
/// followers are in session.
final class FollowerGroup {
  /// An event in the progress of a run.
  enum Event {
    /// All followers are in session.
    case joined
    /// The first tick has arrived at a follower.
    case started
    /// All followers have received Stop.
    case stopped
  }

  private let followers: [Follower]
  /// The control port of the master.
  private let master: UInt16
  /// The epoll instance. The number of a socket is twice the number of its follower, plus 1 for the data port.
  private let poll = epoll_create1(0)
  private let buffer = DatagramBuffer()
  /// The number of followers that have invited the master, plus 1 for the first follower, which does not.
  private var connecting = 1
  /// The ticks that the followers have received.
  private(set) var ticks: TickTable

  /// The maximum number of pending invitations. A master keeps at most 16 half-open invitations from one host.
  private static let maximumPending = 12

  init(_ count: Int, port: UInt16, master: UInt16, areTutti: Bool) throws(FollowersError) {
    // Each follower needs two file descriptors, so the limit is raised as far as permitted.
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var followers: [Follower] = []
    for number in 0..<count {
      followers.append(try Follower(port: port + 2 * UInt16(number), isTutti: areTutti))
    }
    self.followers = followers
    self.master = master
    ticks = TickTable(followers: count)
    for (number, follower) in followers.enumerated() {
      watch(follower.control, as: UInt32(2 * number))
      watch(follower.data, as: UInt32(2 * number + 1))
    }
  }

  /// Adds a socket to the epoll instance, with its number.
  private func watch(_ socket: LoopbackSocket, as number: UInt32) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u32 = number
    epoll_ctl(poll, EPOLL_CTL_ADD, socket.descriptor, &event)
  }

  /// Runs until the master has ended all sessions.
  ///
  /// - Parameter report: called once for each event, in the order of ``Event``.
  /// - Throws: ``FollowersError`` if the master does not accept a follower.
  func run(report: (Event) -> Void) throws(FollowersError) {
    // A kernel without preemption lets no other thread run on the processor during epoll_wait. With room for 256 events, the call
    // took up to 0.1 ms, and a deadline of the peer under test on this processor was late by this time.
    var events = [epoll_event](repeating: epoll_event(), count: 16)
    var lastEvent: Event?
    var nextCheck = monotonicNow
    while true {
      let count = epoll_wait(poll, &events, Int32(events.count), 2)
      let now = monotonicNow
      // The system clock may be stepped, so both clocks are read each time.
      let wall = wallClockNow
      for index in 0..<max(0, Int(count)) {
        let number = Int(events[index].data.u32)
        receive(on: number % 2 == 0 ? .control : .data, of: number / 2, at: now, wall: wall)
      }
      guard now >= nextCheck else { continue }
      nextCheck = now + .milliseconds(2)
      for follower in followers where follower.due <= now { follower.advance(to: now) }
      try inviteSome(at: now)
      if lastEvent == nil, followers.allSatisfy(\.hasJoined) {
        lastEvent = .joined
        report(.joined)
      } else if lastEvent == .joined, ticks.count > 0 {
        lastEvent = .started
        report(.started)
      } else if lastEvent == .started, followers.allSatisfy({ $0.counters.stops > 0 }) {
        lastEvent = .stopped
        report(.stopped)
      }
      if lastEvent != nil, followers.allSatisfy(\.hasLeft) { break }
    }
    ticks.finish()
    for follower in followers { follower.finish(ticks.count) }
  }

  /// The counters of each follower.
  var counters: [FollowerCounters] { followers.map(\.counters) }

  /// Passes the oldest datagram at a port to its follower. `wall` is CLOCK_REALTIME at `now`, in nanoseconds.
  private func receive(on port: Port, of number: Int, at now: Instant, wall: Int64) {
    let follower = followers[number]
    // epoll is level-triggered, so it reports the remaining datagrams again.
    guard buffer.receive(from: port == .control ? follower.control : follower.data) else { return }
    // The first follower ignores the master until all other followers are in session.
    if number == 0, !follower.hasJoined, !mayFirstJoin { return }
    // The time stamp of the kernel is converted to CLOCK_MONOTONIC by the age of the datagram. An implausible age, for example after a
    // step of the system clock, is ignored.
    let age = wall &- buffer.stamp
    let arrival =
      buffer.stamp != 0 && age > 0 && age < 1_000_000_000 ? Instant(nanoseconds: now.nanoseconds - age) : now
    follower.receive(buffer, on: port, at: arrival, into: &ticks, as: number)
  }

  /// Whether all followers except the first are in session.
  private var mayFirstJoin: Bool { connecting == followers.count && followers.dropFirst().allSatisfy(\.hasJoined) }

  /// Lets followers invite the master, as long as few invitations are pending.
  private func inviteSome(at now: Instant) throws(FollowersError) {
    guard !mayFirstJoin else { return }
    var waiting = 0
    for follower in followers[1..<connecting] {
      if follower.hasLeft {
        throw FollowersError("port \(master): no master accepts the followers; start a master there")
      }
      if !follower.hasJoined { waiting += 1 }
    }
    while connecting < followers.count, waiting < Self.maximumPending {
      followers[connecting].connect(to: master, at: now)
      connecting += 1
      waiting += 1
    }
  }
}

/// The time of CLOCK_MONOTONIC, which the master also uses.
var monotonicNow: Instant { Instant(nanoseconds: instant(of: CLOCK_MONOTONIC)) }
/// The time of CLOCK_REALTIME in nanoseconds, which the kernel uses for its time stamps.
private var wallClockNow: Int64 { instant(of: CLOCK_REALTIME) }

private func instant(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
