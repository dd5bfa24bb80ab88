/** Promises about the next request, with a lagging replica of Redis. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService, type WorkerService } from '../support/service.ts'

const LAG_MS = 200
const ROUNDS = 10

let service: Service
let workers: WorkerService[]
let site: Awaited<ReturnType<Service['makeSite']>>

beforeAll(async () => {
  service = await startService({ replicaLagMs: LAG_MS })
  workers = [service, await service.startAnother()]
  site = await service.makeSite()
})

afterAll(() => service.stop())

async function ask(below: string, key: string, tag = ''): Promise<Response[]> {
  return Promise.all(
    workers.map(({ origin }) =>
      fetch(`${origin}/api/v1${site.path}${below}`, {
        headers: { Authorization: `Bearer ${key}`, ...(tag && { 'If-None-Match': tag }) },
      }),
    ),
  )
}

const statuses = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).map(({ status }) => status)
const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
const post = (title: string) => ({ title, contentHtml: '<p>Words.</p>', status: 'published' })

describe('with a lagging replica', () => {
  it('no revoked key is accepted, counted or not', async () => {
    const letIn: string[] = []
    for (const round of rounds) {
      const { id, key } = await service.manage<{ id: string; key: string }>('POST', `${site.path}/keys`, {
        name: `key ${round}`,
      })
      const [first] = await ask('/posts', key)
      const etag = first!.headers.get('ETag')!
      await service.manage('PUT', `${site.path}/keys/${id}/revocation`)
      const after = [
        ...(await statuses('/posts', key)),
        ...(await statuses('/posts', key, etag)),
        ...(await statuses('/training/export', key)),
      ]
      letIn.push(...after.filter((status) => status !== 401).map((status) => `${round}: ${status}`))
    }
    expect(letIn).toEqual([])
  })

  it('no preview link works after it was revoked', async () => {
    await service.manage('PUT', `${site.path}/posts/draft`, { title: 'Draft', contentHtml: '<p>Words.</p>' })
    const letIn: number[] = []
    for (const _ of rounds) {
      const { id, token } = await service.manage<{ id: string; token: string }>(
        'POST',
        `${site.path}/posts/draft/preview-links`,
        {},
      )
      expect(await statuses('/posts/draft', token)).toEqual([200, 200])
      await service.manage('PUT', `${site.path}/posts/draft/preview-links/${id}/revocation`)
      letIn.push(...(await statuses('/posts/draft', token)).filter((status) => status !== 401))
    }
    expect(letIn).toEqual([])
  })

  it('every read after an answered write shows it, and no 304 hides it', async () => {
    const stale: string[] = []
    for (const round of rounds) {
      await service.manage('PUT', `${site.path}/posts/often`, post(`Before ${round}`))
      const asked = await ask('/posts/often', site.key)
      const etags = asked.map(({ headers }) => headers.get('ETag')!)
      await service.manage('PUT', `${site.path}/posts/often`, post(`After ${round}`))
      for (const tag of ['', etags.join(', '), etags[0]!]) {
        for (const answer of await ask('/posts/often', site.key, tag)) {
          const { title = '' } = answer.status === 200 ? ((await answer.json()) as { title: string }) : {}
          if (title !== `After ${round}`) stale.push(`${round}: ${answer.status} ${title}`)
        }
      }
    }
    expect(stale).toEqual([])
  })
})
