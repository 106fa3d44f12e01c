import Audio

extension SoundEvents {
  /// Submits `event` as the clock thread or the network thread does.
  func push(_ event: SoundEvent) {
    if case .message = event.kind { messages.push(event) } else { hits.push(event) }
  }
}
