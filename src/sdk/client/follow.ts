/** Keeps a copy up to date: at intervals, and at once on `wake`. */
import { ContentApiError } from './error.ts'
import type { SyncOptions, SyncResult } from './sync.ts'
import { wait } from './wait.ts'

export type FollowOptions = Pick<SyncOptions, 'signal' | 'limit'> & {
  /** Interval in milliseconds, 60,000 by default. A sync without changes is a free 304. */
  everyMs?: number | undefined
  onSync?: ((result: SyncResult) => void) | undefined
  /** `console.error` by default. The next sync follows after the interval, or after `retryAfterMs` if that is later. */
  onError?: ((error: unknown) => void) | undefined
}

export type Follower = {
  /** Syncs at once, for example when a webhook arrives. */
  wake(): void
  /** Interrupts a running sync, and resolves when it has ended. */
  stop(): Promise<void>
}

export function follow(
  sync: (options: SyncOptions) => Promise<SyncResult>,
  { signal, limit, everyMs = 60_000, onSync, onError = console.error }: FollowOptions = {},
): Follower {
  const stopped = new AbortController()
  let endPause = () => {}
  let isWoken = false
  const stop = () => {
    stopped.abort()
    endPause()
  }
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      isWoken = false
      let pauseMs = 0
      try {
        const result = await sync({ signal: stopped.signal, limit })
        onSync?.(result)
      } catch (error) {
        if (stopped.signal.aborted) return
        pauseMs = (error instanceof ContentApiError && error.retryAfterMs) || 0
        onError(error)
      }
      // `wake` does not shorten a wait that the service asked for.
      await wait(pauseMs, stopped.signal).catch(() => {})
      if (!isWoken && !stopped.signal.aborted) await pause(Math.max(everyMs - pauseMs, 0))
    }
  }

  async function pause(ms: number): Promise<void> {
    const pauseEnded = new AbortController()
    endPause = () => pauseEnded.abort()
    await wait(ms, pauseEnded.signal).catch(() => {})
  }

  const running = run()
  return {
    wake() {
      isWoken = true
      endPause()
    },
    async stop() {
      stop()
      await running
    },
  }
}
