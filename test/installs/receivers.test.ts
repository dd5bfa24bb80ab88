import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Change, missedPosts, verify } from '../../src/sdk/webhooks.ts'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { signatureHeaders } from '../../src/webhooks/signature.ts'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { malformedForms, signed } from '../support/forged-events.ts'
import { RECEIVERS, type Running } from '../support/receivers.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/webhook.ts'

type Site = Awaited<ReturnType<Service['makeSite']>>
type Delivery = {
  id: string
  eventId: string
  status: number | null
  error: string | null
  request: { headers: Record<string, string>; body: string }
}

const FOLDER = 'docs/receivers'
const PLUGIN = 'wordpress/headless-content/'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service?.stop())

/** Marks a draft ready, and waits for the outcome of its delivery. */
async function announce(site: Site, slug: string, title = 'Ü "x"'): Promise<Delivery> {
  await service.manage('PUT', `${site.path}/posts/${slug}`, {
    title,
    contentHtml: 'x',
    qualityBand: 'standard',
  })
  const { eventId } = await service.manage<{ eventId: string }>('PUT', `${site.path}/posts/${slug}/readiness`)
  const found = async () => {
    const { items } = await service.manage<{ items: Delivery[] }>('GET', `${site.path}/deliveries`)
    return items.find((each) => each.eventId === eventId && (each.status ?? each.error) !== null)
  }
  const { id } = await eventually(found)
  return service.manage<Delivery>('GET', `${site.path}/deliveries/${id}`)
}

const setWebhook = (site: Site, url: string) =>
  service.manage<{ secret: string | null }>('PUT', `${site.path}/webhook`, { url })

describe('the receivers in the documentation', () => {
  it('are all tested here, and are short', () => {
    const shown = RECEIVERS.flatMap(({ files }) => files)
    const there = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    )
    const files = there.map(({ parentPath, name }) => relative(FOLDER, join(parentPath, name)))
    // A whole plugin, which wordpress-plugin.test.ts runs.
    const [plugin, receivers] = [true, false].map((is) =>
      files.filter((file) => file.startsWith(PLUGIN) === is),
    )
    expect(plugin).toContain(`${PLUGIN}headless-content.php`)
    expect(receivers!.sort()).toEqual(shown.sort())
    for (const file of shown) {
      expect(readFileSync(join(FOLDER, file), 'utf8').split('\n').length, file).toBeLessThanOrEqual(45)
    }
  })
})

describe.concurrent.each(RECEIVERS)('the receiver in $name', ({ missing, refusal, start }) => {
  const suffix = missing ? ` (skipped: ${missing})` : ''
  let site: Site
  let secret: string
  let receiver: Running

  beforeAll(async () => {
    if (missing) return
    site = await service.makeSite()
    secret = (await setWebhook(site, 'http://127.0.0.1:9/')).secret!
    receiver = await start(secret)
    await setWebhook(site, receiver.url)
  })

  afterAll(() => receiver?.stop())

  const handled = (slug: string) =>
    receiver.output().split(`${slug} is ready at /api/v1${site.path}/posts/${slug}`).length - 1

  const untilHandled = (slug: string) => eventually(async () => (handled(slug) > 0 ? true : null))

  /** Time for its output to arrive, had it handled an event. */
  const settle = () => new Promise((resolve) => setTimeout(resolve, 100))

  const post = async (headers: Record<string, string>, body: string) =>
    (
      await fetch(receiver.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      })
    ).status

  it.skipIf(missing)(`handles a delivery once, and answers 2xx when it is sent again${suffix}`, async () => {
    const delivery = await announce(site, 'one')
    expect(delivery).toMatchObject({ error: null })
    await untilHandled('one')
    expect(handled('one')).toBe(1)
    const again = await service.manage<Delivery>('POST', `${site.path}/events/${delivery.eventId}/resends`)
    expect(again).toMatchObject({ error: null, eventId: delivery.eventId })
    await settle()
    expect(handled('one')).toBe(1)
  })

  it.skipIf(missing)(`accepts a test${suffix}`, async () => {
    const headers = { Authorization: `Bearer ${site.key}` }
    const response = await fetch(`${service.origin}/api/v1/webhooks/test`, { method: 'POST', headers })
    expect(await response.json()).toMatchObject({ ok: true })
  })

  it.skipIf(missing)(`refuses forged and old requests${suffix}`, async () => {
    const { request } = await announce(site, 'two')
    const { headers, body } = request
    const forged = body.replace('"two"', '"six"')
    expect(forged).not.toBe(body)
    const sign = (fields: { at?: Date; secret?: string }) =>
      signatureHeaders({
        ...{ id: crypto.randomUUID(), at: new Date(), secret, previousSecret: null, ...fields },
        body: new TextEncoder().encode(forged),
      })
    const { 'webhook-signature': _, ...unsigned } = headers
    const answers = {
      body: await post(headers, forged),
      empty: await post(headers, ''),
      id: await post({ ...headers, 'webhook-id': crypto.randomUUID() }, body),
      timestamp: await post(
        { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` },
        body,
      ),
      signature: await post({ ...headers, 'webhook-signature': `v1,${btoa('x'.repeat(32))}` }, body),
      bytes: await post({ ...headers, 'webhook-signature': 'v1,ü \u00ff' }, body),
      otherSecret: await post(await sign({ secret: generateSecret() }), forged),
      old: await post(await sign({ at: new Date(Date.now() - 600_000) }), forged),
    }
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((each) => [each, refusal])))
    expect(await post(unsigned, body)).toBe(401)
    await settle()
    expect([handled('two'), handled('six')]).toEqual([1, 0])
    // The same, correctly signed.
    expect(await post(await sign({}), forged)).toBeLessThan(300)
    await eventually(async () => (receiver.output().includes('six is ready') ? true : null))
  })

  it.skipIf(missing)(
    `does not execute a title, and refuses a request with any moved dot${suffix}`,
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'title'))
      // Bash would execute this if it took it for a number.
      const title = `A.key[$(touch ${dir}/ran)].1795305600.B`
      const { request } = await announce(site, 'moved', title)
      const { headers, body } = request
      const whole = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const dots = [...whole.matchAll(/\./g)].map(({ index }) => index)
      const cuts = dots.flatMap((first, at) => dots.slice(at + 1).map((second) => [first, second] as const))
      const answers: number[] = []
      for (const [first, second] of cuts) {
        const id = whole.slice(0, first)
        const timestamp = whole.slice(first + 1, second)
        const moved = { ...headers, 'webhook-id': id, 'webhook-timestamp': timestamp }
        answers.push(await post(moved, whole.slice(second + 1)))
      }
      const ran = existsSync(`${dir}/ran`)
      rmSync(dir, { recursive: true })
      expect(ran).toBe(false)
      expect(answers.length).toBeGreaterThan(20)
      expect(answers[0]).toBeLessThan(300)
      expect(new Set(answers.slice(1))).toEqual(new Set([refusal]))
    },
  )

  it.skipIf(missing)(
    `refuses other forms of id and timestamp, though signed, and missing headers${suffix}`,
    async () => {
      const body = '{"event":"webhook.test"}'
      const now = String(Math.floor(Date.now() / 1_000))
      const sign = (id: string, timestamp: string) => signed(secret, id, timestamp, body)
      const refused = malformedForms(now).map(([id, timestamp]) => sign(id, timestamp))
      for (const headers of refused) expect([headers, await post(headers, body)]).toEqual([headers, refusal])
      const { 'webhook-signature': signature, ...unsigned } = sign('an-id', now)
      for (const name of ['webhook-id', 'webhook-timestamp'] as const) {
        const { [name]: _, ...others } = unsigned
        expect(await post({ ...others, 'webhook-signature': signature }, body)).toBe(refusal)
        expect(await post({ ...unsigned, 'webhook-signature': signature, [name]: '' }, body)).toBe(refusal)
      }
      expect(await post(sign('an-id_1', now), body)).toBeLessThan(300)
    },
  )

  it.skipIf(missing)(`reads a body as JSON, whatever its content type${suffix}`, async () => {
    const body = '{"event":"webhook.test","message":"&event=article.ready&slug=claimed&fetch.path=/x&"}'
    const signing = { id: crypto.randomUUID(), at: new Date(), secret, previousSecret: null }
    const headers = await signatureHeaders({ ...signing, body: new TextEncoder().encode(body) })
    await post({ ...headers, 'Content-Type': 'application/x-www-form-urlencoded' }, body)
    await settle()
    expect(receiver.output()).not.toContain('claimed is ready')
  })

  it.skipIf(missing)(`does not record an event as handled when its handler failed${suffix}`, async () => {
    // Without a dependency of its handler.
    const body = '{"event":"article.ready"}'
    const signing = { id: crypto.randomUUID(), at: new Date(), secret, previousSecret: null }
    const headers = await signatureHeaders({ ...signing, body: new TextEncoder().encode(body) })
    const attempt = () => post(headers, body).catch(() => 'no answer')
    expect(await attempt()).toBe(await attempt())
  })

  it.skipIf(missing)(`still accepts deliveries after a rotation${suffix}`, async () => {
    await service.manage('POST', `${site.path}/webhook/secret-rotations`)
    const { request, error } = await announce(site, 'three')
    expect(error).toBeNull()
    expect(request.headers['webhook-signature']!.split(' ')).toHaveLength(2)
    await untilHandled('three')
    expect(handled('three')).toBe(1)
  })
})

describe.concurrent.each(RECEIVERS)('the receiver in $name, without a secret,', ({ missing, start }) => {
  it.skipIf(missing)(`accepts nothing${missing ? ` (skipped: ${missing})` : ''}`, async () => {
    const receiver = await start('').catch((error: Error) => error)
    if (receiver instanceof Error) return expect(receiver.message).toContain('WEBHOOK_SECRET is missing')
    const body = '{"event":"webhook.test"}'
    // An empty key and a zero byte are the same to HMAC.
    const signing = { id: crypto.randomUUID(), at: new Date(), secret: 'whsec_AA==', previousSecret: null }
    const headers = await signatureHeaders({ ...signing, body: new TextEncoder().encode(body) })
    const { status } = await fetch(receiver.url, { method: 'POST', headers, body })
    await receiver.stop()
    expect(status).toBe(500)
  })
})

describe.concurrent('a receiver that got an event and is unreachable afterwards', () => {
  it('is not reported as having refused it', async () => {
    const site = await service.makeSite()
    const receiver = await startCountingReceiver((_, response) => {
      receiver.close()
      response.socket!.destroy()
    })
    await setWebhook(site, receiver.url)
    const { eventId, error } = await announce(site, 'lost')
    expect(receiver.posts.get(eventId)).toBe(1)
    expect(error).toBe('connection_lost')
  })
})

describe.concurrent('a receiver that was down', () => {
  it('finds the post whose event it missed in the change feed', async () => {
    const site = await service.makeSite()
    let secret = ''
    const handled = new Map<string, number>()
    const receiver = await startCountingReceiver(async (body, response, headers) => {
      const { type, payload } = await verify({ headers, body }, secret)
      if (type === 'article.ready') handled.set(payload.postId, payload.sequence)
      response.writeHead(204).end()
    })
    secret = (await setWebhook(site, receiver.url)).secret!
    expect(await announce(site, 'first')).toMatchObject({ error: null })
    await setWebhook(site, 'http://127.0.0.1:9/')
    expect(await announce(site, 'second')).toMatchObject({ error: 'connection_lost' })
    await setWebhook(site, receiver.url)
    expect(await announce(site, 'third')).toMatchObject({ error: null })
    expect(await missed()).toEqual(['second'])
    await service.manage('PUT', `${site.path}/posts/first/publication`)
    expect(await missed()).toEqual(['second', 'first'])
    receiver.close()

    async function missed() {
      const headers = { Authorization: `Bearer ${site.key}` }
      const response = await fetch(`${service.origin}/api/v1${site.path}/changes`, { headers })
      const { items } = (await response.json()) as { items: (Change & { slug: string })[] }
      expect(items).toHaveLength(3)
      return (await missedPosts(items, (id) => handled.get(id))).map(({ slug }) => slug)
    }
  })
})
