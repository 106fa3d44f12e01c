import Rhythm

/// A pattern whose hits show the total activity: one more drum sounds from each of the activities 43 and 86 on.
let table: StepTable = {
  let text = """
    name: layers
    description: One more drum each quarter of the range.
    meter: 4/4
    bars: 1
    tempo: 120
    kit:
      a: { note: 36 }
      b: { note: 38 }
      c: { note: 42 }
    layers:
      - name: low
        activity: [0]
        steps:
          a: XXXX XXXX XXXX XXXX
      - name: middle
        activity: [43]
        steps:
          b: XXXX XXXX XXXX XXXX
      - name: high
        activity: [86]
        steps:
          c: XXXX XXXX XXXX XXXX
    """
  do { return StepTable(try PatchLoader.patch(from: text, file: "layers.yaml")) } catch { fatalError("\(error)") }
}()
