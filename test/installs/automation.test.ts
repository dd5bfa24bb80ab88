/** The code of the n8n workflow and the Zapier step, run with POSTs signed by the service's own code. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { signatureHeaders } from '../../src/webhooks/signature.ts'
import { blocksOf } from '../snippets/blocks.ts'
import { malformedForms } from '../support/forged-events.ts'

type Post = { headers: Record<string, string>; body: Buffer }
type Node = { name: string; parameters: { jsCode: string; value: string; dataPropertyName: string } }
type Run = (...inputs: unknown[]) => Promise<unknown>

const SECRET = generateSecret()
const payload = {
  ...{ event: 'post.updated', postId: 'a-post', slug: 'grüße', sequence: 7, previousSlug: null },
  fetch: { path: '/api/v1/sites/s/posts/gr%C3%BC%C3%9Fe' },
}
const BODY = JSON.stringify(payload)

/** Wraps code in a function, as these tools do. */
function wrap(names: string[], code: string): Run {
  const AsyncFunction = (async () => {}).constructor as new (...source: string[]) => Run
  return new AsyncFunction(...names, code)
}

/** With lowercase header names, as HTTP servers give them. */
async function sign(body = BODY, { at = new Date(), secret = SECRET } = {}): Promise<Post> {
  const bytes = Buffer.from(body)
  const headers = await signatureHeaders({ id: 'an-event', at, secret, previousSecret: null, body: bytes })
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { headers: Object.fromEntries(lower), body: bytes }
}

/** Signed like the service, for any form of the timestamp. */
function signedAt(timestamp: string, body: Buffer): Post {
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex')
  return { headers: { 'x-service-timestamp': timestamp, 'x-service-signature': signature }, body }
}

async function forgeries(): Promise<[why: string, post: Post][]> {
  const { headers, body } = await sign()
  const timestamp = headers['x-service-timestamp']!
  const signature = headers['x-service-signature']!
  const timestamps = malformedForms(timestamp).filter(([id]) => id === 'an-id')
  const dotted = await sign('{"event":"post.updated"}')
  const [begin, rest] = dotted.body.toString().split('.') as [string, string]
  const movedDot = {
    headers: { ...dotted.headers, 'x-service-timestamp': `${timestamp}.${begin}` },
    body: Buffer.from(rest),
  }
  return [
    ['altered', { headers, body: Buffer.from(`${BODY} `) }],
    ['empty', { headers, body: Buffer.alloc(0) }],
    ['without headers', { headers: {}, body }],
    ['without a timestamp', { headers: { 'x-service-signature': signature }, body }],
    ['without a signature', { headers: { 'x-service-timestamp': timestamp }, body }],
    ['another time', { headers: { ...headers, 'x-service-timestamp': String(Number(timestamp) + 1) }, body }],
    ['in capitals', { headers: { ...headers, 'x-service-signature': signature.toUpperCase() }, body }],
    ['cut', { headers: { ...headers, 'x-service-signature': signature.slice(1) }, body }],
    ['of another secret', await sign(BODY, { secret: generateSecret() })],
    ['old', await sign(BODY, { at: new Date(Date.now() - 301_000) })],
    ['of the future', await sign(BODY, { at: new Date(Date.now() + 302_000) })],
    ['with a moved dot', movedDot],
    ...timestamps.map(([, form]): [string, Post] => [`timestamp ${form}`, signedAt(form, body)]),
  ]
}

describe("the workflow for n8n, whose nodes' code runs in Node", () => {
  const { nodes } = JSON.parse(readFileSync('docs/examples/n8n/workflow.json', 'utf8')) as { nodes: Node[] }
  const node = (name: string) => nodes.find((each) => each.name === name)!.parameters
  const code = (name: string) => wrap(['$input'], node(name).jsCode)

  /** The output of the node before the branch. A Crypto node with a credential is between the two pieces of code. */
  async function check({ headers, body }: Post) {
    const helpers = {
      getBinaryDataBuffer: async (index: number, name: string) => index === 0 && name === 'data' && body,
    }
    const first = (json: unknown) => ({ first: () => ({ json }) })
    const [read] = (await code('Read the request').call({ helpers }, first({ headers }))) as [
      { json: Record<string, string> },
    ]
    const { value, dataPropertyName } = node('Compute the signature')
    const [, property] = /^=\{\{ \$json\.(\w+) \}\}$/.exec(value)!
    const expected = createHmac('sha256', SECRET).update(read.json[property!]!).digest('hex')
    const [checked] = (await code('Check the signature').call(
      {},
      first({ ...read.json, [dataPropertyName]: expected }),
    )) as [{ json: unknown }]
    return checked.json
  }

  it('passes on the event of a genuine POST', async () => {
    expect(await check(await sign())).toEqual({ isGenuine: true, event: payload })
  })

  it('refuses every other POST', async () => {
    for (const [why, post] of await forgeries())
      expect(await check(post), why).toEqual({ isGenuine: false, event: null })
  })
})

describe('the step for Zapier, whose code runs in Node', () => {
  const block = blocksOf('integrations.md').find(({ code }) => code.startsWith('// Code by Zapier'))!
  const run = wrap(['inputData', 'require'], block.code)

  const check = ({ headers, body }: Post) => {
    const fields = { timestamp: headers['x-service-timestamp'], signature: headers['x-service-signature'] }
    return run({ body: body.toString(), ...fields, secret: SECRET }, createRequire(import.meta.url))
  }

  it('passes on the event of a genuine POST, with or without a post to fetch', async () => {
    const { event, postId, slug, sequence, fetch } = payload
    expect(await check(await sign())).toEqual({ event, postId, slug, sequence, path: fetch.path })
    expect(await check(await sign('{"event":"webhook.test"}'))).toMatchObject({
      event: 'webhook.test',
      path: null,
    })
  })

  it('refuses every other POST', async () => {
    for (const [why, post] of await forgeries())
      await expect(check(post), why).rejects.toThrow(/^(malformed|forged|old)$/)
  })

  it('refuses every POST without a secret', async () => {
    const { headers, body } = await sign()
    const unset = createHmac('sha256', '')
      .update(`${headers['x-service-timestamp']}.`)
      .update(body)
      .digest('hex')
    const fields = { body: body.toString(), timestamp: headers['x-service-timestamp'], signature: unset }
    await expect(run({ ...fields, secret: '' }, createRequire(import.meta.url))).rejects.toThrow('malformed')
  })
})
