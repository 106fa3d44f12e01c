import CSndfile

/// Returns the error text of libsndfile for `handle`, or, with nil, for the last failed attempt to open a file.
func sndfileError(_ handle: OpaquePointer?) -> String {
  let text = String(cString: sf_strerror(handle))
  return text.hasSuffix(".") ? String(text.dropLast()) : text
}
