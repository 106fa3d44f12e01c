/// The two patch selectors of a running peer: one for its rhythm and one for its instrument.
struct PatchSelectors {
  let rhythm: PatchSelector
  let instrument: PatchSelector
}
