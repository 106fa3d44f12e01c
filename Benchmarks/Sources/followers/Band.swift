import CEpoll
import Glibc
import MusicalTime
import RTPMIDI

/// Many followers of one master on one thread: epoll over all their sockets, a look at their timers every 2 ms.
///
/// All but the first invite the master, some at a time. The first waits to be invited itself and lets that happen when
/// all the others are there: a master that is told to connect to it, and to start when everybody is there, starts then.
final class Band {
  enum Event { case joined, started, stopped }

  private let followers: [Follower]
  private let master: UInt16
  private let poll = epoll_create1(0)
  private let room = DatagramRoom()
  private var connecting = 1
  private(set) var ticks: TickTable

  /// Followers that invite at a time: a master takes no more from one host.
  private static let most = 12

  init(_ count: Int, port: UInt16, master: UInt16, areTutti: Bool) throws(FollowersError) {
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

  private func watch(_ socket: LoopbackSocket, as number: UInt32) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u32 = number
    epoll_ctl(poll, EPOLL_CTL_ADD, socket.descriptor, &event)
  }

  /// Plays until the master has left all of them.
  ///
  /// - Parameter tell: called as things happen to all of them.
  /// - Throws: ``FollowersError`` when somebody does not get in.
  func run(tell: (Event) -> Void) throws(FollowersError) {
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    var told: Event?
    var nextLook = monotonicNow
    while true {
      let count = epoll_wait(poll, &events, Int32(events.count), 2)
      let now = monotonicNow
      // Read anew each time, for the system clock may be set.
      let wall = wallClockNow
      for index in 0..<max(0, Int(count)) {
        let number = Int(events[index].data.u32)
        receive(on: number % 2 == 0 ? .control : .data, of: number / 2, at: now, wall: wall)
      }
      guard now >= nextLook else { continue }
      nextLook = now + .milliseconds(2)
      for follower in followers where follower.due <= now { follower.advance(to: now) }
      try inviteSome(at: now)
      if told == nil, followers.allSatisfy(\.hasJoined) {
        told = .joined
        tell(.joined)
      } else if told == .joined, ticks.count > 0 {
        told = .started
        tell(.started)
      } else if told == .started, followers.allSatisfy({ $0.heard.stops > 0 }) {
        told = .stopped
        tell(.stopped)
      }
      if told != nil, followers.allSatisfy(\.hasLeft) { break }
    }
    ticks.finish()
    for follower in followers { follower.settle(ticks.count) }
  }

  /// What each has heard.
  var heard: [Heard] { followers.map(\.heard) }

  private func receive(on port: Port, of number: Int, at now: Instant, wall: Int64) {
    let follower = followers[number]
    // Level-triggered: what is left comes with the next look.
    guard room.receive(from: port == .control ? follower.control : follower.data) else { return }
    if number == 0, !follower.hasJoined, !mayFirstJoin { return }
    // The kernel's stamp, in the monotonic clock: it lies before the look at both clocks, or not at all.
    let age = wall &- room.stamp
    let arrival = room.stamp != 0 && age > 0 && age < 1_000_000_000 ? Instant(nanoseconds: now.nanoseconds - age) : now
    follower.receive(room, on: port, at: arrival, into: &ticks, as: number)
  }

  private var mayFirstJoin: Bool { connecting == followers.count && followers.dropFirst().allSatisfy(\.hasJoined) }

  private func inviteSome(at now: Instant) throws(FollowersError) {
    guard !mayFirstJoin else { return }
    var waiting = 0
    for follower in followers[1..<connecting] {
      if follower.hasLeft { throw FollowersError("port \(master): no master lets the followers in; start one there") }
      if !follower.hasJoined { waiting += 1 }
    }
    while connecting < followers.count, waiting < Self.most {
      followers[connecting].connect(to: master, at: now)
      connecting += 1
      waiting += 1
    }
  }
}

/// CLOCK_MONOTONIC, the master's clock as well.
var monotonicNow: Instant { Instant(nanoseconds: instant(of: CLOCK_MONOTONIC)) }
private var wallClockNow: Int64 { instant(of: CLOCK_REALTIME) }

private func instant(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
