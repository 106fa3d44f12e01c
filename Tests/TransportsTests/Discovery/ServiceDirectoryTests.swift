import MusicalTime
import Testing
import _TestSupport

@testable import Transports

/// The choice of the source at which a service name is looked up. A source is an interface and an address family. `appeared` returns
/// whether the limits allow the source. `disappeared` returns whether the source was the chosen one.
@Suite struct ServiceDirectoryTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let ipv4 = ServiceDirectory.Source(interface: 2, isIPv6: false)
  private let ipv6 = ServiceDirectory.Source(interface: 2, isIPv6: true)
  private let other = ServiceDirectory.Source(interface: 3, isIPv6: false)

  /// Takes the look-ups that are due and returns their sources.
  private func sources(_ directory: inout ServiceDirectory, at now: Instant) -> [ServiceDirectory.Source] {
    directory.takeDue(at: now).map(\.source)
  }

  @Test func nameIsLookedUpOnceByIPv4() {
    var directory = ServiceDirectory()
    for source in [ipv6, ipv4, other, ipv4] { #expect(directory.appeared("Ada", at: source, now: start) == true) }
    #expect(directory.nextDue == start)
    #expect(sources(&directory, at: start) == [ipv4])
    #expect(sources(&directory, at: start + .seconds(100)).isEmpty && directory.nextDue == nil)
  }

  /// An IPv6 source waits 200 ms for an IPv4 source, which is preferred.
  @Test func nameIsLookedUpByIPv6WithoutIPv4Source() {
    var directory = ServiceDirectory()
    _ = directory.appeared("Ada", at: ipv6, now: start)
    #expect(directory.nextDue == start + .milliseconds(200))
    #expect(sources(&directory, at: start + .milliseconds(199)).isEmpty)
    #expect(sources(&directory, at: start + .milliseconds(200)) == [ipv6])
    // A later IPv4 source has no effect on a running look-up.
    _ = directory.appeared("Ada", at: ipv4, now: start + .seconds(1))
    #expect(sources(&directory, at: start + .seconds(2)).isEmpty)
  }

  @Test func nextSourceIsUsedWhenTheChosenOneDisappears() {
    var directory = ServiceDirectory()
    for source in [ipv4, ipv6, other] { _ = directory.appeared("Ada", at: source, now: start) }
    _ = directory.takeDue(at: start)
    #expect(directory.disappeared("Ada", at: ipv6, now: start) == false)
    #expect(directory.disappeared("Ben", at: ipv4, now: start) == false)
    #expect(directory.disappeared("Ada", at: ipv4, now: start + .seconds(5)) == true)
    #expect(sources(&directory, at: start + .seconds(5)) == [other])
    #expect(directory.disappeared("Ada", at: other, now: start + .seconds(6)) == true)
    #expect(directory.count == 0 && directory.nextDue == nil)
  }

  @Test func sourceOfAFailedLookUpIsTriedLast() {
    var directory = ServiceDirectory()
    for source in [ipv4, ipv6] { _ = directory.appeared("Ada", at: source, now: start) }
    var tried: [ServiceDirectory.Source] = []
    var now = start
    for _ in 0..<4 {
      tried += sources(&directory, at: now)
      directory.failed("Ada", now: now)
      // The next look-up is not due before the end of the retry interval (1 s).
      #expect(sources(&directory, at: now + .milliseconds(999)).isEmpty)
      now = now + .seconds(1)
    }
    #expect(tried == [ipv4, ipv6, ipv4, ipv6])
  }

  @Test func numbersOfNamesAndSourcesAreLimited() {
    var directory = ServiceDirectory()
    let accepted = (0..<5000).filter { directory.appeared("\($0)", at: ipv4, now: start) }
    // The directory holds at most 1000 names.
    #expect(accepted == Array(0..<1000) && directory.count == 1000)
    let sources = (0..<100).filter {
      directory.appeared("7", at: ServiceDirectory.Source(interface: Int32($0), isIPv6: true), now: start)
    }
    // A name has at most 32 sources. The name "7" has one already.
    #expect(sources.count == 31)
    directory.removeAll()
    #expect(directory.appeared("4999", at: ipv4, now: start) == true)
  }

  /// For any sequence of events, there is at most one look-up per name, at a current source of the name. At the end, there is a look-up
  /// for every current name.
  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func everyNameIsLookedUpAtACurrentSource(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var directory = ServiceDirectory()
    // The current sources of each name, and the source of the look-up of each name. A look-up remains until it fails or its source
    // disappears.
    var present: [String: Set<ServiceDirectory.Source>] = [:]
    var running: [String: ServiceDirectory.Source] = [:]
    var now = start
    for _ in 0..<2000 {
      now = now + .milliseconds(Int64(random.integer(in: 0...50)))
      let name = "\(random.integer(in: 0...9))"
      let source = ServiceDirectory.Source(
        interface: Int32(random.integer(in: 1...3)), isIPv6: random.next() & 1 == 0)
      switch random.integer(in: 0...9) {
      case 0...3:
        // Ten names with up to six sources each do not exceed the limits.
        #expect(directory.appeared(name, at: source, now: now) == true)
        present[name, default: []].insert(source)
      case 4...6:
        let wasChosen = directory.disappeared(name, at: source, now: now)
        present[name]?.remove(source)
        #expect(wasChosen == (running[name] == source), "seed \(seed)")
        if wasChosen { running[name] = nil }
      case 7 where running[name] != nil:
        directory.failed(name, now: now)
        running[name] = nil
      default:
        for (name, source) in directory.takeDue(at: now) {
          #expect(running[name] == nil && present[name]?.contains(source) == true, "seed \(seed)")
          running[name] = source
        }
      }
    }
    // 2 s is longer than the retry interval after a failed look-up (1 s).
    for (name, source) in directory.takeDue(at: now + .seconds(2)) { running[name] = source }
    #expect(Set(running.keys) == Set(present.filter { !$0.value.isEmpty }.keys), "seed \(seed)")
  }
}
