import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { admin } from '../cli/support/admin.ts'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { type Service, startService, type WorkerService } from '../support/service.ts'

const EVENTS = 5

let service: Service
let writer: WorkerService

beforeAll(async () => {
  service = await startService({ timeoutFactor: 1 })
  writer = await service.startAnother()
})

afterEach(() => writer.redis.become('sound'))

afterAll(() => service.stop())

/** A site whose key and post the other Worker has cached. */
async function cachedRead() {
  const site = await service.makeSite()
  const { items } = await service.manage<{ items: { id: string }[] }>('GET', `${site.path}/keys`)
  const article = (title: string) => ({ title, contentHtml: '<p>Words.</p>', qualityBand: 'standard' })
  await service.manage('PUT', `${site.path}/posts/a`, article('First'))
  const read = async () => {
    const response = await fetch(`${service.origin}/api/v1${site.path}/posts/a`, {
      headers: { Authorization: `Bearer ${site.key}` },
    })
    return { status: response.status, title: (JSON.parse(await response.text()) as { title?: string }).title }
  }
  for (let i = 0; i < 3; i++) expect(await read()).toEqual({ status: 200, title: 'First' })
  const revocation = `${site.path}/keys/${items[0]!.id}/revocation`
  return { ...site, article, read, revocation }
}

const effectiveWithin = (response: Response) => response.headers.get('X-Effective-Within')

describe('a writer whose Redis', () => {
  it('is cut off for a moment retries: its writes take effect everywhere at once', async () => {
    const { read, revocation } = await cachedRead()
    await writer.redis.become('cut')
    const answer = writer.ask('PUT', revocation)
    await sleep(150)
    await writer.redis.become('sound')
    expect((await answer).status).toBe(200)
    expect(effectiveWithin(await answer)).toBe(null)
    expect(await read()).toMatchObject({ status: 401 })
  })

  it('hangs reports that its writes take effect within a minute, and they do without another request', async () => {
    const { read, path, article, revocation } = await cachedRead()
    await writer.redis.become('silent')
    const written = await writer.ask('PUT', `${path}/posts/a`, article('Second'))
    expect([written.status, effectiveWithin(written)]).toEqual([200, '60'])
    const revoked = await writer.ask('PUT', revocation)
    expect([revoked.status, effectiveWithin(revoked)]).toEqual([200, '60'])
    await writer.redis.become('sound')
    await expect.poll(read, { interval: 200 }).toMatchObject({ status: 401 })
  })

  it('is down reports it on the command line and in the console', async () => {
    const { id, path, article, revocation } = await cachedRead()
    const form = async (below: string, fields: Record<string, string>, cookie = '') => {
      const response = await fetch(`${writer.origin}/console${below}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Origin: writer.origin, Cookie: cookie },
        body: new URLSearchParams(fields),
      })
      expect(response.status).toBe(303)
      return response.headers
    }
    const session = (await form('/sign-in', { token: writer.operatorToken }))
      .getSetCookie()[0]!
      .split(';')[0]!
    await service.manage('PUT', `${path}/posts/b`, article('Second'))
    await writer.redis.become('cut')

    const command = ['--url', writer.origin, '--token', writer.operatorToken, 'post', 'publish', id, 'b']
    const published = await admin(command)
    expect(published.stderr).toBe(
      'Saved, but the caches could not be updated: the change takes effect within 60 s after they can be\n',
    )
    expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('published') })

    const wordsAfter = async (answer: Headers) => {
      const url = new URL(answer.get('Location')!, writer.origin)
      const text = await (await fetch(url, { headers: { Cookie: session } })).text()
      return text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    }
    const selected = await form(`${path}/content/selection`, { change: 'publish', slug: 'a' }, session)
    expect(await wordsAfter(selected)).toContain(
      '1 post published. Your change is saved, but readers do not see it yet because part of the service is unavailable.',
    )
    const words = await wordsAfter(await form(revocation, {}, session))
    expect(words).toContain('takes effect within a minute')
    expect(words).not.toMatch(/no longer works|Redis/)
  })

  it('is down when drafts are marked ready sends the events only when receivers can read the drafts', async () => {
    const { path, key, article } = await cachedRead()
    const slugs = Array.from({ length: EVENTS }, (_, i) => `post-${i}`)
    const stale: string[] = []
    let heard = 0
    const receiver = await startCountingReceiver(async (body, response) => {
      const { slug } = JSON.parse(body) as { slug: string }
      const post = await titleOf(slug)
      if (post !== 'Second') stale.push(`${slug}: ${post}`)
      heard += 1
      response.writeHead(204).end()
    })
    const titleOf = async (slug: string) => {
      const response = await fetch(`${service.origin}/api/v1${path}/posts/${slug}`, {
        headers: { Authorization: `Bearer ${key}` },
      })
      return ((await response.json()) as { title: string }).title
    }
    try {
      await service.manage('PUT', `${path}/webhook`, { url: receiver.url })
      for (const slug of slugs) await service.manage('PUT', `${path}/posts/${slug}`, article('First'))
      for (const slug of slugs) expect(await titleOf(slug)).toBe('First')
      await writer.redis.become('cut')
      await Promise.all(
        slugs.map(async (slug) => {
          expect((await writer.ask('PUT', `${path}/posts/${slug}`, article('Second'))).status).toBe(200)
          expect((await writer.ask('PUT', `${path}/posts/${slug}/readiness`)).status).toBe(200)
        }),
      )
      await sleep(2_000)
      await writer.redis.become('sound')
      await expect.poll(() => heard, { interval: 100 }).toBe(EVENTS)
      expect(stale).toEqual([])
    } finally {
      receiver.close()
    }
  })
})
