type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number }

/** All that a run of the command line has of the process around it. Relative paths are below `cwd`. */
export type Io = {
  stdout: Stream
  stderr: Stream
  env: Record<string, string | undefined>
  cwd: string
  fetch: typeof fetch
  /** How long one file may take to convert, if not 20 s. */
  fileTimeoutMs?: number
}
