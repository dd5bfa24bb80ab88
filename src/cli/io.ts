type Stream = {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  destroyed?: boolean
  once?(event: string, listener: () => void): unknown
  off?(event: string, listener: () => void): unknown
}

/** What a run of the command line gets from its process. Relative paths are below `cwd`. */
export type Io = {
  stdout: Stream
  stderr: Stream
  env: Record<string, string | undefined>
  cwd: string
  fetch: typeof fetch
  /** How long one file may take to convert; by default 10 to 60 s, by its size. */
  fileTimeoutMs?: number
}
