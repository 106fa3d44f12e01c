import Audio

extension SoundEvents {
  /// Submits `event`: a message as the network thread does, and any other event as the clock thread does.
  func push(_ event: SoundEvent) {
    if case .message = event.kind { messages.push(event) } else { hits.push(event) }
  }
}
