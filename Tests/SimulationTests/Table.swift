import Rhythm

/// The steps of a rhythm whose number of hits depends on the total activity, 0...127. On each step, one drum sounds below 43, two
/// drums sound from 43 on, and three from 86 on.
let table: StepTable = {
  let text = """
    name: layers
    description: One more drum in each third of the range.
    tempo: 120
    play:
      always:  { kick: XXXX XXXX XXXX XXXX }
      from 43: { snare: XXXX XXXX XXXX XXXX }
      from 86: { hat: XXXX XXXX XXXX XXXX }
    """
  do { return StepTable(try PatchLoader.patch(from: text, file: "layers.yaml")) } catch { fatalError("\(error)") }
}()
