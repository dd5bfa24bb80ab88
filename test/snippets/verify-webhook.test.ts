/** The guide's `verify`, run on a POST that the service's own code signs. */
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { afterEach, expect, it, vi } from 'vitest'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { signatureHeaders } from '../../src/webhooks/signature.ts'

const secret = generateSecret()
const payload = { event: 'article.ready', slug: 'a-post', fetch: { path: '/api/v1/sites/s/posts/a-post' } }

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** The block as a function of the request. */
async function load(): Promise<(request: Request) => Promise<void>> {
  const guide = readFileSync('docs/guide/webhooks.md', 'utf8')
  const [, imports, statements] = /```js\n(import { verify }.*\n)([\s\S]*?)```/.exec(guide)!
  const { outputFiles } = await build({
    stdin: { contents: `${imports}export default async (request) => {${statements}}`, resolveDir: '.' },
    ...{ bundle: true, format: 'esm', write: false },
    alias: { 'headless-content-api/webhooks': './src/sdk/webhooks.ts' },
  })
  const url = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`
  return (await import(/* @vite-ignore */ url)).default
}

it('accepts a genuine POST, and throws with the reason for an altered one', async () => {
  vi.stubEnv('WEBHOOK_SECRET', secret)
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
  const run = await load()
  const body = JSON.stringify(payload)
  const signing = { id: 'an-event', at: new Date(), secret, previousSecret: null }
  const headers = await signatureHeaders({ ...signing, body: new TextEncoder().encode(body) })
  const post = (sent: string) =>
    new Request('http://localhost/hooks', { method: 'POST', headers, body: sent })
  await run(post(body))
  expect(printed.mock.calls).toEqual([[`an-event: a-post is ready at ${payload.fetch.path}`]])
  const refused = { name: 'WebhookError', reason: 'no signature matches' }
  await expect(run(post(`${body} `))).rejects.toMatchObject(refused)
  expect(printed).toHaveBeenCalledTimes(1)
})
