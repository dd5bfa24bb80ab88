type Stream = {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  destroyed?: boolean
  once?(event: string, listener: () => void): unknown
  off?(event: string, listener: () => void): unknown
}

/** The command line's view of its process. Relative paths are below `cwd`. */
export type Io = {
  stdout: Stream
  stderr: Stream
  env: Record<string, string | undefined>
  cwd: string
  fetch: typeof fetch
  /** Time limit for the conversion of a file; by default 10 to 60 s, by size. */
  fileTimeoutMs?: number
}
