public import MusicalTime
public import Rhythm

// The scenarios.
extension VirtualWorld {
  /// A world with a ``SteadyScenario``: all peers join, the first peer starts the rhythm, the others follow until it stops.
  public static func steady(_ settings: Settings, length: Nanoseconds) -> VirtualWorld {
    VirtualWorld(settings, scenario: SteadyScenario(length: length), length: length)
  }

  /// A world with a ``BandScenario``: a random scenario of a band in which not all peers know or reach each other.
  public static func bands(_ settings: Settings, length: Nanoseconds) -> VirtualWorld {
    var settings = settings
    var random = SplitMix(seed: settings.seed ^ 0x5348_4150_45)
    settings.shape = BandShape.random(peers: settings.peers, &random)
    return VirtualWorld(settings, scenario: BandScenario(seed: settings.seed, length: length), length: length)
  }

  /// A world with a ``RandomScenario``.
  public static func random(_ settings: Settings, length: Nanoseconds) -> VirtualWorld {
    VirtualWorld(settings, scenario: RandomScenario(seed: settings.seed, length: length), length: length)
  }
}

extension VirtualWorld.Settings {
  /// The settings of a random scenario. The seed determines the number of peers (2...16) and the network if they are nil. The peers
  /// have a passkey in every eighth seed, which is half of the scenarios with a hostile device (``RandomScenario/isHostile(_:)``).
  public static func random(
    seed: UInt64, peers: Int? = nil, network: NetworkModel? = nil, hasScores: Bool = false, table: StepTable
  ) -> VirtualWorld.Settings {
    var random = SplitMix(seed: seed)
    var settings = VirtualWorld.Settings(table: table)
    settings.hasScores = hasScores
    (settings.seed, settings.probeRateLimit) = (seed, 2)
    let (randomPeers, randomNetwork) = (Int(random.integer(in: 2...16)), NetworkModel.random(&random))
    settings.peers = peers ?? randomPeers
    settings.hasPasskey = seed % 8 == 3
    settings.network = network ?? randomNetwork
    return settings
  }
}

extension VirtualWorld.Settings {
  /// The settings of a ``BandScenario``: 3...12 peers, and a network of the lab without bursts of losses.
  public static func bands(
    seed: UInt64, peers: Int? = nil, network: NetworkModel? = nil, table: StepTable
  ) -> VirtualWorld.Settings {
    var random = SplitMix(seed: seed)
    var settings = VirtualWorld.Settings(table: table)
    (settings.seed, settings.probeRateLimit) = (seed, 2)
    let (randomPeers, choice) = (Int(random.integer(in: 3...12)), Int(random.integer(in: 0...2)))
    settings.peers = peers ?? randomPeers
    settings.hasPasskey = seed % 8 == 3
    settings.network = network ?? [NetworkModel.still, .lan, .wifi][choice]
    return settings
  }
}

extension NetworkModel {
  /// Returns one of the networks of the lab, or a network that loses up to 20 % of all packets, and duplicates and reorders
  /// packets.
  static func random(_ random: inout SplitMix) -> NetworkModel {
    let choice = Int(random.integer(in: 0...7))
    let delay = random.integer(in: 200...15_000)
    let jitter = random.integer(in: 10...max(11, delay / 3))
    let rough = NetworkModel(
      name: "rough", delay: .microseconds(delay), jitter: .microseconds(jitter), loss: random.share() * 0.2,
      burst: 1 + random.share() * 2, duplicate: random.share() * 0.02, reorder: random.share() * 0.05)
    return choice < 4 ? lab[choice] : rough
  }
}
