import Rhythm

/// The table of a pattern whose hits show the total activity. One drum sounds at each activity, two from 43 on and
/// three from 86 on.
let table: StepTable = {
  let text = """
    name: layers
    description: One more drum in each third of the range.
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
