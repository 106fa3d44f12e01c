import Audio
import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of `tutti ports`, and of the errors for ports and sound cards that cannot be used.
@Suite(.ownThreads) struct PortsTests {
  /// The JSON output of `tutti ports`.
  fileprivate struct Listing: Decodable {
    struct Port: Decodable {
      var address, client, port: String
      var sends, receives: Bool
      var clockFrom: String?

      enum CodingKeys: String, CodingKey {
        case address, client, port, sends, receives
        case clockFrom = "clock_from"
      }
    }
    struct Device: Decodable { var name, description, audio: String }
    var sequencer: Bool
    var ports: [Port]
    var devices: [Device]
  }

  fileprivate func listing(prefix: [String] = [], in folder: TemporaryFolder) async throws -> Listing {
    let outcome = try await Child.tutti(["ports", "--json"], prefix: prefix, in: folder).outcome()
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    return try JSONDecoder().decode(Listing.self, from: Data(outcome.output.utf8))
  }

  @Test func textAndJSONListTheSamePorts() async throws {
    let folder = try TemporaryFolder()
    let listing = try await listing(in: folder)
    #expect(listing.sequencer || listing.ports.isEmpty)
    for port in listing.ports {
      #expect((port.sends || port.receives) && port.clockFrom == (port.sends ? port.address : nil))
    }
    for device in listing.devices { #expect(device.audio == "alsa:\(device.name)") }
    let text = try await Child.tutti(["ports"], in: folder).outcome()
    #expect(text.status == 0 && text.errors == "", "\(text.errors)")
    for port in listing.ports { #expect(text.output.contains(port.address)) }
    for device in listing.devices { #expect(text.output.contains("--audio \(device.audio)\n")) }
    if listing.ports.isEmpty { #expect(text.output.contains("MIDI ports: none")) }
    if listing.devices.isEmpty { #expect(text.output.contains("Sound cards: none")) }
  }

  /// Tests that need the virtual ports and sound cards of the lab: an ALSA sequencer, four VirMIDI ports, a loopback card and a dummy card.
  @Suite(.serialized, .enabled(if: Lab.hasSequencer && Lab.hasLoopback, "\(Lab.needsLoopback)")) struct LabPortsTests {
    private let outer = PortsTests()

    /// Runs a peer with `arguments`, and expects that it fails with status 69 and one line on standard error. Returns this
    /// line.
    private func fail(
      _ arguments: String, prefix: [String] = [], in folder: TemporaryFolder
    ) async throws -> String {
      let words =
        ["peer", "--port", "0", "--discovery", "off", "--duration", "1"]
        + arguments.split(separator: " ").map(String.init)
      let environment = ["HOME": folder.path("state")]
      let outcome = try await Child.tutti(words, prefix: prefix, environment: environment, in: folder).outcome()
      #expect(outcome.status == 69, "\(outcome.errors)")
      #expect(outcome.output == "")
      #expect(outcome.errors.hasPrefix("tutti: ") && outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
      return outcome.errors
    }

    @Test func listContainsTheVirtualPortsAndCards() async throws {
      let listing = try await outer.listing(in: TemporaryFolder())
      #expect(listing.sequencer)
      let virtual = listing.ports.filter { $0.port.hasPrefix("VirMIDI") }
      #expect(virtual.count == 4 && virtual.allSatisfy { $0.sends && $0.receives })
      // "listing" is the name under which `tutti ports` itself opens the sequencer.
      #expect(!listing.ports.contains { $0.client == "System" || $0.client == "listing" })
      #expect(listing.devices.contains { $0.audio == "alsa:hw:Loopback,0" })
      #expect(listing.devices.contains { $0.audio == "alsa:hw:Dummy,0" })
    }

    @Test func optionsAcceptTheValuesFromTheList() async throws {
      let folder = try TemporaryFolder()
      let listing = try await outer.listing(in: folder)
      let port = try #require(listing.ports.first { $0.port.hasPrefix("VirMIDI") })
      let device = try #require(listing.devices.first { $0.name == "hw:Loopback,0" })
      let arguments = [
        "peer", "--port", "0", "--discovery", "off", "--duration", "1", "--clock-from", try #require(port.clockFrom),
        "--audio", device.audio,
      ]
      let outcome = try await Child.tutti(arguments, in: folder).outcome()
      #expect(outcome.status == 0 && outcome.errors.contains("sound: hw:Loopback,0: 48000 Hz"), "\(outcome.errors)")
    }

    @Test func busyCardIsReported() async throws {
      let device = try PCMDevice("hw:Loopback,0,6")
      defer { device.close() }
      let error = try await fail("--audio alsa:hw:Loopback,0,6", in: TemporaryFolder())
      #expect(error.hasPrefix("tutti: hw:Loopback,0,6: another program is using this sound card; "), "\(error)")
    }

    @Test func ambiguousAndUnknownPortNamesListTheCandidates() async throws {
      let folder = try TemporaryFolder()
      let listing = try await outer.listing(in: folder)
      let several = try await fail("--audio none --clock-from VirMIDI", in: folder)
      #expect(several.hasPrefix("tutti: port \"VirMIDI\": ambiguous, matches "))
      #expect(several.hasSuffix("; give the number or the full name\n"))
      let none = try await fail("--audio none --clock-from nobody", in: folder)
      #expect(none.hasPrefix("tutti: port \"nobody\": no such port; available ports: "))
      for port in listing.ports where port.sends {
        #expect(several.contains("\(port.address) ") == port.port.hasPrefix("VirMIDI"), "\(several)")
        #expect(none.contains("\(port.address) "), "\(none)")
      }
    }

    /// The peer runs as a user who is not in the group audio. The capability `dac_read_search` lets this user read the program
    /// and its files.
    @Test(.enabled(if: geteuid() == 0, "only root can run a program as another user: run this test in the lab"))
    func missingPermissionIsReportedWithTheRemedy() async throws {
      let nobody =
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        + ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
      let folder = try TemporaryFolder()
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
      let midi = try await fail("--audio none --clock-from 14:0", prefix: nobody, in: folder)
      #expect(midi.hasPrefix("tutti: ALSA sequencer: no permission to open /dev/snd/seq; join the group audio"))
      for card in ["hw:Loopback,0", "hw:1,0", "plughw:Loopback,0"] {
        let error = try await fail("--audio alsa:\(card)", prefix: nobody, in: folder)
        #expect(
          error.hasPrefix("tutti: \(card): no permission to use this sound card; add yourself to the group audio"))
      }
      let list = try await Child.tutti(
        ["ports"], prefix: nobody, environment: ["HOME": folder.path("state")], in: folder
      ).outcome()
      #expect(list.status == 0 && list.errors == "", "\(list.errors)")
      #expect(
        list.output.contains("MIDI ports: none. ALSA sequencer: no permission to open /dev/snd/seq; join the group"))
      #expect(list.output.contains("Sound cards: none usable: permission denied; add yourself to the group audio"))
    }
  }
}
