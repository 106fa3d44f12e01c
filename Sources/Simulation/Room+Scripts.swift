public import MusicalTime
public import Rhythm

// What can be played in a room.
extension Room {
  /// A plain session: everybody comes, the first starts the rhythm, all follow until it stops.
  public static func rehearsal(_ settings: Settings, length: Nanoseconds) -> Room {
    Room(settings, script: Rehearsal(length: length), length: length)
  }

  /// An evening on which everything happens that can.
  public static func evening(_ settings: Settings, length: Nanoseconds) -> Room {
    Room(settings, script: Evening(seed: settings.seed, length: length), length: length)
  }
}

extension Room.Settings {
  /// An evening's peers, two to sixteen, and its network follow from the seed where they are not given.
  public static func evening(
    seed: UInt64, peers: Int? = nil, network: VirtualNetwork? = nil, table: StepTable
  ) -> Room.Settings {
    var random = SplitMix(seed: seed)
    var settings = Room.Settings(table: table)
    (settings.seed, settings.pace) = (seed, 2)
    let (few, rough) = (Int(random.integer(in: 2...16)), VirtualNetwork.rough(&random))
    settings.peers = peers ?? few
    settings.network = network ?? rough
    return settings
  }
}

extension VirtualNetwork {
  /// Some network: one of the lab's, or one that loses up to a fifth of all packets, doubles and disorders them.
  static func rough(_ random: inout SplitMix) -> VirtualNetwork {
    let place = Int(random.integer(in: 0...7))
    let delay = random.integer(in: 200...15_000)
    let jitter = random.integer(in: 10...max(11, delay / 3))
    let rough = VirtualNetwork(
      name: "rough", delay: .microseconds(delay), jitter: .microseconds(jitter), loss: random.share() * 0.2,
      burst: 1 + random.share() * 2, duplicate: random.share() * 0.02, reorder: random.share() * 0.05)
    return place < 4 ? lab[place] : rough
  }
}
