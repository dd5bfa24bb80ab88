import { afterEach, expect, it, vi } from 'vitest'
import type { Context } from '../../../src/context.ts'
import { WRITE_TIMEOUT_MS } from '../../../src/db/client.ts'
import { INTERRUPTED_AFTER_MS } from '../../../src/webhooks/attempt.ts'
import { type Attempt, sendAttempt } from '../../../src/webhooks/deliver.ts'

const POST_MS = 8_000

afterEach(() => void vi.useRealTimers())

it('an attempt ends before the sweep closes it, even if the receiver is slow and Postgres hangs', async () => {
  vi.useFakeTimers()
  const hang = vi.fn(() => failAfter(WRITE_TIMEOUT_MS))
  const ctx = {
    config: { hasAlerts: false },
    db: { execute: hang, batch: hang },
    fetch: async () => {
      await new Promise((resolve) => setTimeout(resolve, POST_MS))
      return new Response(new ReadableStream({}))
    },
    log: () => {},
    defer: () => {},
  } as unknown as Context
  const request = { url: 'https://cms.example.org/', headers: {}, body: new Uint8Array() }
  const attempt = { deliveryId: '', event: {}, request } as Attempt
  const startedAt = Date.now()
  const sent = sendAttempt(ctx, attempt)
  await vi.runAllTimersAsync()
  await sent
  expect(hang.mock.calls.length).toBeGreaterThan(1)
  // The claim's reply may have taken as long.
  expect(WRITE_TIMEOUT_MS + Date.now() - startedAt).toBeLessThan(INTERRUPTED_AFTER_MS)
})

function failAfter(ms: number) {
  return new Promise((_, reject) => setTimeout(reject, ms, new Error('timeout')))
}
