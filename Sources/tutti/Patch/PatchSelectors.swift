/// The two patch selectors of a running peer.
struct PatchSelectors {
  let rhythm: PatchSelector
  let instrument: PatchSelector
}
