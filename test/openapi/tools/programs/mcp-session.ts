/** The input and the result of a session with `/mcp`. */
export type Asked = {
  origin: string
  token: string
  /** With a handshake, without one if the service can do so, or without one. */
  mode: 'legacy' | 'auto' | { pin: string }
  /** Tools in their order, with their arguments. */
  calls: [name: string, args: Record<string, unknown>][]
}

export type Session = {
  version: string | undefined
  server: string | undefined
  tools: string[]
  results: { isError: boolean; text: string; structured: unknown }[]
  /** The requests and responses on the wire. */
  exchanges: { sent: string; headers: Record<string, string>; status: number; answered: string }[]
}
