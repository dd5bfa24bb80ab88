/** The parts of autocannon that we use. The package has no types. */
declare module 'autocannon' {
  type Request = { path?: string; setupRequest?: (request: Request) => Request }
  type Run = Promise<{ duration: number; errors: number }> & {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): void
    stop(): void
  }
  export default function autocannon(options: {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    headers: Record<string, string>
    requests: Request[]
  }): Run
}
