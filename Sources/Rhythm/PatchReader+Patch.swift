import MusicalTime
import Yams

extension PatchReader {
  private static let fields = [
    Field(name: "name", example: "name: street"),
    Field(name: "description", example: "description: A straight groove."),
    Field(name: "meter", example: "meter: 4/4"),
    Field(name: "bars", example: "bars: 1"),
    Field(name: "tempo", example: "tempo: 100"),
    Field(name: "kit", example: "kit: { kick: { note: 36 } }"),
    Field(name: "layers", example: "layers: [{ name: pulse, activity: [0], steps: { kick: X... } }]"),
  ]

  /// Reads the patch from the root of a file. Returns nil if there are faults.
  mutating func patch(_ root: Node) -> Patch? {
    guard let values = values(of: root, "", Self.fields) else { return nil }
    let name = values["name"].flatMap { text($0, "name", maximumLength: 40) }
    let description = values["description"].flatMap { text($0, "description", maximumLength: 400) }
    let meter = values["meter"].flatMap { self.meter($0) }
    let bars = values["bars"].flatMap { self.bars($0, of: meter) }
    let tempo = values["tempo"].flatMap { self.tempo($0) }
    let steps = if let meter, let bars { bars * Int(meter.stepsPerBar) } else { Int?.none }
    let (kit, voiceIndices) = values["kit"].map { self.kit($0) } ?? ([], nil)
    let layers = values["layers"].map { self.layers($0, kit: voiceIndices, steps: steps) } ?? []
    guard faults.isEmpty, let name, let description, let meter, let bars, let tempo else { return nil }
    let patch = Patch(
      name: name, description: description, meter: meter, bars: bars, tempo: tempo, kit: kit, layers: layers)
    let hits = patch.hitsByStep.reduce(0) { $0 + $1.count }
    if hits > StepTable.maximumHits {
      fault(
        at: values["layers"]?.position ?? .start, "layers",
        "contain \(hits) hits, more than the limit of \(StepTable.maximumHits)",
        "remove \(hits - StepTable.maximumHits)")
      return nil
    }
    return patch
  }

  private mutating func meter(_ node: Node) -> Meter? {
    let remedy = "write beats/unit, such as 4/4: 1 to 16 beats, unit 2, 4, 8 or 16"
    guard let text = scalar(node, "meter", remedy: remedy) else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let beats = Int(parts[0]), let unit = Int(parts[1]),
      let meter = Meter(beats: beats, unit: unit)
    else {
      fault(at: node.position, "meter", "is \"\(text.printable())\", not a meter", remedy)
      return nil
    }
    guard meter.stepsPerBar <= Int64(StepTable.maximumSteps) else {
      let limit = StepTable.maximumSteps
      fault(
        at: node.position, "meter", "gives bars of \(meter.stepsPerBar) steps, more than the limit of \(limit)",
        "write fewer beats, or a shorter unit, such as 4 instead of 2")
      return nil
    }
    return meter
  }

  private mutating func bars(_ node: Node, of meter: Meter?) -> Int? {
    guard let bars = integer(node, "bars", in: 1...4) else { return nil }
    guard let meter else { return bars }
    let maximumBars = StepTable.maximumSteps / Int(meter.stepsPerBar)
    guard bars <= maximumBars else {
      let steps = bars * Int(meter.stepsPerBar)
      fault(
        at: node.position, "bars", "give \(steps) steps, more than the limit of \(StepTable.maximumSteps)",
        "write \(maximumBars)"
      )
      return nil
    }
    return bars
  }

  private mutating func tempo(_ node: Node) -> Tempo? {
    let remedy = "write quarter notes per minute, from 20 to 999"
    guard let text = scalar(node, "tempo", remedy: remedy) else { return nil }
    guard let bpm = Double(text), let tempo = try? Tempo(bpm: bpm) else {
      fault(at: node.position, "tempo", "is \"\(text.printable())\", not a tempo", remedy)
      return nil
    }
    return tempo
  }
}
