/** Keeps a copy up to date: at intervals, and at once when it is woken. */
import { ContentApiError } from './error.ts'
import type { SyncOptions, SyncResult } from './sync.ts'
import { wait } from './wait.ts'

export type FollowOptions = Pick<SyncOptions, 'signal' | 'limit'> & {
  /** Between syncs, 60,000. While nothing changes, one is a free 304. */
  everyMs?: number | undefined
  onSync?: ((result: SyncResult) => void) | undefined
  /** `console.error` by default. The next sync is at the next interval, or after `retryAfterMs` if that is later. */
  onError?: ((error: unknown) => void) | undefined
}

export type Follower = {
  /** A hint, such as a webhook, that there may be something new. */
  wake(): void
  /** Ends the sync under way, and resolves when it has ended. */
  stop(): Promise<void>
}

export function follow(
  sync: (options: SyncOptions) => Promise<SyncResult>,
  { signal, limit, everyMs = 60_000, onSync, onError = console.error }: FollowOptions = {},
): Follower {
  const stopped = new AbortController()
  /** Ends the pause; replaced by each. */
  let rouse = () => {}
  let isWoken = false
  const stop = () => {
    stopped.abort()
    rouse()
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
      // Only what the service asked for is waited for in full.
      await wait(pauseMs, stopped.signal).catch(() => {})
      if (!isWoken && !stopped.signal.aborted) await pause(Math.max(everyMs - pauseMs, 0))
    }
  }

  async function pause(ms: number): Promise<void> {
    const roused = new AbortController()
    rouse = () => roused.abort()
    await wait(ms, roused.signal).catch(() => {})
  }

  const running = run()
  return {
    wake() {
      isWoken = true
      rouse()
    },
    async stop() {
      stop()
      await running
    },
  }
}
