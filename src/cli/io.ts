type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number }

/** What a run of the command line gets from its process. Relative paths are below `cwd`. */
export type Io = {
  stdout: Stream
  stderr: Stream
  env: Record<string, string | undefined>
  cwd: string
  fetch: typeof fetch
  /** How long one file may take to convert; 20 s by default. */
  fileTimeoutMs?: number
}
