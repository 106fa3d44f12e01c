import CSndfile

/// Why libsndfile failed on `handle`, or could not open one (nil).
func soundFileFault(_ handle: OpaquePointer?) -> String {
  let text = String(cString: sf_strerror(handle))
  return text.hasSuffix(".") ? String(text.dropLast()) : text
}
