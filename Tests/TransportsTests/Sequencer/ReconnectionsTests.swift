import MusicalTime
import Testing
import Transports
import _TestSupport

/// The memory of connections to devices that vanish and return. The connections of a port are restored half a second after the port
/// has started (the settling time).
@Suite struct ReconnectionsTests {
  private let start = Instant(nanoseconds: 5_000_000_000)
  private let keys = port(20, 0, "Keys", "Keys MIDI 1")
  /// The same device with another client number.
  private var keysElsewhere: SequencerPort { port(28, 0, "Keys", "Keys MIDI 1") }

  /// Returns the memory of connections after the kernel has announced `links`, each a local port and the port to which it is connected.
  private func connected(_ links: [(Sequencer.Port, SequencerPort)]) -> Reconnections {
    var reconnections = Reconnections()
    for (local, port) in links {
      #expect(reconnections.record(.subscribed(SequencerLink(local, port.address)), at: start, ports: [port]).isEmpty)
    }
    return reconnections
  }

  @Test func connectionsAreRestoredUnderAnotherNumber() {
    var reconnections = connected([(.input, keys), (.clock, keys)])
    #expect(reconnections.record(.portExited(keys.address), at: start, ports: []) == [.gone("Keys MIDI 1")])
    #expect(reconnections.record(.clientExited(20), at: start, ports: []) == [])
    #expect(reconnections.nextDue == nil)
    #expect(reconnections.record(.portStarted(keysElsewhere.address), at: start, ports: [keysElsewhere]) == [])
    #expect(reconnections.nextDue == start + Reconnections.settling)
    #expect(reconnections.due(at: start + .milliseconds(499), ports: [keysElsewhere]) == [])
    let links = reconnections.due(at: start + .milliseconds(500), ports: [keysElsewhere])
    #expect(Set(links) == [SequencerLink(.input, keysElsewhere.address), SequencerLink(.clock, keysElsewhere.address)])
    #expect(reconnections.nextDue == nil && reconnections.due(at: start + .seconds(9), ports: [keysElsewhere]) == [])
    let changes = links.flatMap { reconnections.record(.subscribed($0), at: start, ports: [keysElsewhere]) }
    #expect(changes == [.back("Keys MIDI 1")])
    #expect(reconnections.record(.clientExited(28), at: start, ports: []) == [.gone("Keys MIDI 1")])
  }

  @Test func connectionRemovedByTheUserIsForgotten() {
    var reconnections = connected([(.input, keys), (.clock, keys)])
    _ = reconnections.record(.unsubscribed(SequencerLink(.clock, keys.address)), at: start, ports: [keys])
    _ = reconnections.record(.portExited(keys.address), at: start, ports: [])
    _ = reconnections.record(.portStarted(keys.address), at: start, ports: [keys])
    let links = reconnections.due(at: start + .seconds(1), ports: [keys])
    #expect(links == [SequencerLink(.input, keys.address)])
  }

  @Test func programThatConnectsItselfIsNotConnectedAgain() {
    var reconnections = connected([(.clock, keys)])
    _ = reconnections.record(.portExited(keys.address), at: start, ports: [])
    _ = reconnections.record(.portStarted(keys.address), at: start, ports: [keys])
    let subscribed = SequencerArrival.Event.subscribed(SequencerLink(.clock, keys.address))
    #expect(reconnections.record(subscribed, at: start, ports: [keys]) == [.back("Keys MIDI 1")])
    #expect(reconnections.due(at: start + .seconds(1), ports: [keys]) == [])
  }

  @Test func portWithAnotherNameAndTheOldNumberIsNotConnected() {
    var reconnections = connected([(.input, keys)])
    _ = reconnections.record(.portExited(keys.address), at: start, ports: [])
    let stranger = port(20, 0, "Pads", "Pads MIDI 1")
    _ = reconnections.record(.portStarted(stranger.address), at: start, ports: [stranger])
    #expect(reconnections.due(at: start + .seconds(1), ports: [stranger]) == [])
  }

  @Test func clientMaySetItsNameAfterItsPortHasStarted() {
    // The client of `reconnections` sets its name within the settling time. The client of `slow` sets its name after the settling time.
    var reconnections = connected([(.input, keys)])
    _ = reconnections.record(.clientExited(20), at: start, ports: [])
    let nameless = port(20, 0, "Client-20", "Keys MIDI 1")
    _ = reconnections.record(.portStarted(keys.address), at: start, ports: [nameless])
    #expect(reconnections.due(at: start + .seconds(1), ports: [keys]).count == 1)
    var slow = connected([(.input, keys)])
    _ = slow.record(.clientExited(20), at: start, ports: [])
    _ = slow.record(.portStarted(keys.address), at: start, ports: [nameless])
    #expect(slow.due(at: start + .seconds(1), ports: [nameless]) == [])
    _ = slow.record(.clientChanged(20), at: start + .seconds(2), ports: [keys])
    #expect(slow.due(at: start + .seconds(3), ports: [keys]).count == 1)
  }

  /// After their return, the devices have the client numbers `firstNow` and `secondNow`.
  @Test func twoDevicesWithTheSameNameKeepSeparateConnections() {
    let (first, second) = (port(20, 0, "Keys", "Keys"), port(24, 0, "Keys", "Keys"))
    for (firstNow, secondNow) in [(20, 24), (24, 20), (32, 24), (32, 36)] as [(UInt8, UInt8)] {
      var reconnections = connected([(.input, first), (.clock, second)])
      for address in [first.address, second.address] {
        _ = reconnections.record(.portExited(address), at: start, ports: [])
      }
      let back = [port(secondNow, 0, "Keys", "Keys"), port(firstNow, 0, "Keys", "Keys")]
      for port in back { _ = reconnections.record(.portStarted(port.address), at: start, ports: back) }
      let links = reconnections.due(at: start + .seconds(1), ports: back)
      #expect(links.count == 2 && Set(links.map(\.port)) == [.input, .clock])
      #expect(Set(links.map(\.other)) == Set(back.map(\.address)))
      // The output `clock` was connected to the number 24. In the first two cases, both old numbers are in use again, so the connection
      // of `clock` must return to 24. In the other cases, a device has a new number. The test then accepts either device for either
      // connection.
      if firstNow != 32 { #expect(links.contains { $0.port.isOutput && $0.other.client == 24 }) }
    }
  }

  /// The connection is due again at each start of the port, because no event has confirmed that it was restored.
  @Test func failedConnectionIsRetriedAtTheNextStart() {
    var reconnections = connected([(.input, keys)])
    for round in Int64(0)..<3 {
      let now = start + .seconds(round)
      _ = reconnections.record(.portExited(keys.address), at: now, ports: [])
      _ = reconnections.record(.portStarted(keys.address), at: now, ports: [keys])
      #expect(reconnections.due(at: now + .milliseconds(500), ports: [keys]).count == 1)
    }
  }

  @Test func resynchronizationReplacesLostAnnouncements() {
    let (pads, synth) = (port(24, 0, "Pads", "Pads"), port(130, 0, "Synth", "Synth in"))
    var reconnections = connected([(.input, keys), (.input, pads), (.clock, synth)])
    // Meanwhile the keys have vanished, the pads were disconnected, and another port has got the number of the synthesizer. The
    // announcements of these events are lost.
    let stranger = port(130, 0, "Other", "in")
    let changes = reconnections.resynchronize(
      links: [SequencerLink(.clock, stranger.address)], ports: [pads, stranger], at: start)
    #expect(Set(changes) == [.gone("Keys MIDI 1"), .gone("Synth in")])
    // Later, the keys and the synthesizer return with other numbers.
    let all = [keysElsewhere, pads, stranger, port(131, 0, "Synth", "Synth in")]
    #expect(reconnections.resynchronize(links: [SequencerLink(.clock, stranger.address)], ports: all, at: start) == [])
    let links = reconnections.due(at: start + .seconds(1), ports: all)
    #expect(Set(links.map(\.other.client)) == [28, 131], "the keys and the synthesizer, not the pads")
  }

  @Test func numberOfLostConnectionsIsLimited() {
    var reconnections = Reconnections()
    let all = (0..<200).map { port(UInt8($0), 0, "Client \($0)", "port") }
    for port in all {
      _ = reconnections.record(.subscribed(SequencerLink(.input, port.address)), at: start, ports: [port])
      _ = reconnections.record(.portExited(port.address), at: start, ports: [])
    }
    for port in all { _ = reconnections.record(.portStarted(port.address), at: start, ports: all) }
    let links = reconnections.due(at: start + .seconds(1), ports: all)
    // Only the newest 64 of the 200 connections are remembered.
    #expect(links.map(\.other.client) == (136..<200).map { UInt8($0) })
  }

  /// Invariants: at any time, only connections exist that the user has made and not removed. When all devices are present, all connections
  /// exist that the user has made and not removed.
  @Test(arguments: UInt64(1)...40) func connectionsMadeByTheUserAreRestored(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var studio = VirtualStudio(names: ["Keys", "Pads", "Drums", "Synth", "Looper"], using: &random)
    for _ in 0..<400 {
      studio.step(using: &random)
      #expect(studio.links.isSubset(of: studio.requested), "seed \(seed)")
    }
    studio.returnAll(using: &random)
    #expect(studio.links == studio.requested, "seed \(seed)")
  }
}
