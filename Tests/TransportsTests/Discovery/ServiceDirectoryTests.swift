import MusicalTime
import Seeds
import Testing

@testable import Transports

@Suite struct ServiceDirectoryTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let ipv4 = ServiceDirectory.Place(interface: 2, isIPv6: false)
  private let ipv6 = ServiceDirectory.Place(interface: 2, isIPv6: true)
  private let other = ServiceDirectory.Place(interface: 3, isIPv6: false)

  private func places(_ directory: inout ServiceDirectory, at now: Instant) -> [ServiceDirectory.Place] {
    directory.takeDue(at: now).map(\.place)
  }

  @Test func aNameIsLookedUpOnceByIPv4() {
    var directory = ServiceDirectory()
    for place in [ipv6, ipv4, other, ipv4] { #expect(directory.appeared("Ada", at: place, now: start) == true) }
    #expect(directory.nextDue == start)
    #expect(places(&directory, at: start) == [ipv4])
    #expect(places(&directory, at: start + .seconds(100)).isEmpty && directory.nextDue == nil)
  }

  @Test func byIPv6WhereNothingElseIsSeenForAMoment() {
    var directory = ServiceDirectory()
    _ = directory.appeared("Ada", at: ipv6, now: start)
    #expect(directory.nextDue == start + .milliseconds(200))
    #expect(places(&directory, at: start + .milliseconds(199)).isEmpty)
    #expect(places(&directory, at: start + .milliseconds(200)) == [ipv6])
    // Found already: IPv4 that comes later changes nothing.
    _ = directory.appeared("Ada", at: ipv4, now: start + .seconds(1))
    #expect(places(&directory, at: start + .seconds(2)).isEmpty)
  }

  @Test func whenItsPlaceGoesAnotherTakesItsTurn() {
    var directory = ServiceDirectory()
    for place in [ipv4, ipv6, other] { _ = directory.appeared("Ada", at: place, now: start) }
    _ = directory.takeDue(at: start)
    #expect(directory.disappeared("Ada", at: ipv6, now: start) == false)
    #expect(directory.disappeared("Ben", at: ipv4, now: start) == false)
    #expect(directory.disappeared("Ada", at: ipv4, now: start + .seconds(5)) == true)
    #expect(places(&directory, at: start + .seconds(5)) == [other])
    #expect(directory.disappeared("Ada", at: other, now: start + .seconds(6)) == true)
    #expect(directory.count == 0 && directory.nextDue == nil)
  }

  @Test func whereNothingIsFoundIsTriedLast() {
    var directory = ServiceDirectory()
    for place in [ipv4, ipv6] { _ = directory.appeared("Ada", at: place, now: start) }
    var tried: [ServiceDirectory.Place] = []
    var now = start
    for _ in 0..<4 {
      tried += places(&directory, at: now)
      directory.failed("Ada", now: now)
      // Not at once.
      #expect(places(&directory, at: now + .milliseconds(999)).isEmpty)
      now = now + .seconds(1)
    }
    #expect(tried == [ipv4, ipv6, ipv4, ipv6])
  }

  @Test func namesAndPlacesAreBounded() {
    var directory = ServiceDirectory()
    let taken = (0..<5000).filter { directory.appeared("\($0)", at: ipv4, now: start) }
    #expect(taken == Array(0..<1000) && directory.count == 1000)
    let places = (0..<100).filter {
      directory.appeared("7", at: ServiceDirectory.Place(interface: Int32($0), isIPv6: true), now: start)
    }
    #expect(places.count == 31)
    directory.removeAll()
    #expect(directory.appeared("4999", at: ipv4, now: start) == true)
  }

  /// Whatever comes and goes: at most one look-up a name, at a place where it is, and every name that is there is looked
  /// up in the end.
  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func comingAndGoing(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var directory = ServiceDirectory()
    var there: [String: Set<ServiceDirectory.Place>] = [:]
    var running: [String: ServiceDirectory.Place] = [:]
    var now = start
    for _ in 0..<2000 {
      now = now + .milliseconds(Int64(random.integer(in: 0...50)))
      let name = "\(random.integer(in: 0...9))"
      let place = ServiceDirectory.Place(
        interface: Int32(random.integer(in: 1...3)), isIPv6: random.next() & 1 == 0)
      switch random.integer(in: 0...9) {
      case 0...3:
        #expect(directory.appeared(name, at: place, now: now) == true)
        there[name, default: []].insert(place)
      case 4...6:
        let wasChosen = directory.disappeared(name, at: place, now: now)
        there[name]?.remove(place)
        #expect(wasChosen == (running[name] == place), "seed \(seed)")
        if wasChosen { running[name] = nil }
      case 7 where running[name] != nil:
        directory.failed(name, now: now)
        running[name] = nil
      default:
        for (name, place) in directory.takeDue(at: now) {
          #expect(running[name] == nil && there[name]?.contains(place) == true, "seed \(seed)")
          running[name] = place
        }
      }
    }
    for (name, place) in directory.takeDue(at: now + .seconds(2)) { running[name] = place }
    #expect(Set(running.keys) == Set(there.filter { !$0.value.isEmpty }.keys), "seed \(seed)")
  }
}
