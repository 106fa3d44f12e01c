import MusicalTime
import Rhythm
import Testing

/// The beats of a bar: the field `beats`, and the usual division of a meter.
@Suite struct BeatGroupTests {
  @Test(arguments: [
    ("4/4", [1, 1, 1, 1]), ("3/4", [1, 1, 1]), ("3/8", [1, 1, 1]), ("5/8", [3, 2]), ("6/8", [3, 3]),
    ("7/8", [2, 2, 3]),
    ("9/8", [3, 3, 3]), ("12/8", [3, 3, 3, 3]), ("11/8", Array(repeating: 1, count: 11)),
    ("6/4", Array(repeating: 1, count: 6)),
  ])
  func meterHasUsualBeats(meter: String, groups: [Int]) throws {
    let numbers = meter.split(separator: "/").compactMap { Int($0) }
    #expect(Meter(beats: numbers[0], unit: numbers[1])?.usualGroups == groups)
  }

  @Test(arguments: [("3+2+2", [3, 2, 2]), ("2 + 3 + 2", [2, 3, 2]), ("7", [7]), ("4+3", [4, 3])])
  func patchDividesTheBar(text: String, groups: [Int]) throws {
    let head = "name: test\ndescription: A test.\ntempo: 120\nmeter: 7/8\nbeats: \(text)\n"
    let patch = try PatchLoader.patch(from: head + "play: { always: { kick: x...x...x...x. } }\n", file: "test.yaml")
    #expect(patch.beatGroups == groups)
  }

  @Test(arguments: ["2+2+2", "2+2+4", "2+5+0", "8-1", "2++5", "+7", "seven", "99999999999999999999"])
  func impossibleDivisionIsAFault(text: String) {
    let head = "name: test\ndescription: A test.\ntempo: 120\nmeter: 7/8\nbeats: \(text)\n"
    let expected =
      "small.yaml:5:8: beats: is \"\(text)\", not a division of a bar of 7/8; write the units of each beat with + between them; "
      + "their sum is 7, such as 2+2+3"
    #expect(faults(head + "play: { always: { kick: x...x...x...x. } }\n") == [expected])
  }
}
