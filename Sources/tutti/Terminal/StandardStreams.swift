// @preconcurrency: the C variable `stdout` is mutable and global. Only the main thread uses it.
@preconcurrency import Glibc

/// Writes `text` to standard error. If the reader takes nothing for a second, the rest is discarded, so that a message cannot keep
/// the program from ending.
func writeToStandardError(_ text: String) {
  writeOctets(Array(text.utf8), to: STDERR_FILENO, patience: 1000)
}

/// Makes `print` write each line at once, even to a file or a pipe. A simulation can take hours, and its results must be visible
/// while it runs.
func writeLinesAtOnce() { setvbuf(stdout, nil, _IOLBF, 0) }

/// Writes the rest of the printed text, and checks that all printed text was written. A reader that has closed the pipe, as
/// `head` does, is not an error.
///
/// - Throws: ``CommandError``.
func checkStandardOutput() throws(CommandError) {
  guard fflush(stdout) != 0 || ferror(stdout) != 0 else { return }
  // If the reader has closed the pipe, POLLERR is set (poll(2)).
  var request = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
  guard poll(&request, 1, 0) == 0 else { return }
  throw CommandError(
    "standard output: cannot be written, so the results are not complete; check that its disk is not full",
    status: .outputFailed)
}

/// Writes `octets` to a file descriptor. Octets for a closed pipe or terminal are discarded, because a message must not stop the
/// music. Foundation's `FileHandle` is not used, because it would end the process if the pipe or the terminal is closed.
///
/// - Parameters:
///   - patience: how many milliseconds to wait for a reader that takes nothing, before the rest is discarded; -1: no limit.
///   - onProgress: called with the number of octets after each write.
func writeOctets(
  _ octets: [UInt8], to descriptor: Int32, patience: Int32 = -1, onProgress: (Int) -> Void = { _ in }
) {
  var rest = octets[...]
  while !rest.isEmpty {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let ready = poll(&request, 1, patience)
    if ready < 0, errno == EINTR { continue }
    guard ready > 0 else { return }
    // A pipe that is ready accepts 4096 octets (PIPE_BUF) without blocking, see pipe(7). A terminal may block.
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, min($0.count, 4096)) }
    if count < 0, errno == EINTR || errno == EAGAIN { continue }
    guard count > 0 else { return }
    onProgress(count)
    rest = rest.dropFirst(count)
  }
}
