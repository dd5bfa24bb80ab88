import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Given, Seen } from '../openapi/tools/programs/seen.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

const TOOLS = join(import.meta.dirname, '../openapi/tools')
const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')
const PROGRAMS = ['openapi-fetch', 'hey-api', 'orval']
/** Enough for more than one piece of the stream. */
const ROWS = 400

const run = promisify(execFile)
const installed = existsSync(join(TOOLS, 'node_modules'))
if (!installed && process.env.CI) throw new Error('The generators are not installed: npm run openapi:tools')

describe.skipIf(!installed)('generated clients (skipped where npm run openapi:tools was not run)', () => {
  let service: Service
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let given: Given
  let bundles: string

  beforeAll(async () => {
    service = await startService()
    receiver = await startReceiver()
    const { id, key, path } = await service.makeSite({ trainingOptIn: true })
    const { origin, operatorToken, manage } = service
    const rows = Array.from({ length: ROWS }, (_, at) => ({ prompt: `${at}`, completion: 'C'.repeat(1_000) }))
    await manage('POST', `${path}/training-rows`, { rows })
    await manage('PUT', `${path}/webhook`, { url: `${receiver.url}/${id}/ok` })
    given = { origin, siteId: id, key, operatorToken }
    const env = { ...process.env, ORIGIN: origin, FORCE_COLOR: '0' }
    const tool = (name: string, ...args: string[]) =>
      run(join(TOOLS, 'node_modules/.bin', name), args, { cwd: TOOLS, env })
    await Promise.all([
      tool('openapi-typescript'),
      tool('openapi-ts'),
      tool('orval', '--config', 'orval.config.ts'),
    ])
    bundles = await mkdtemp(join(tmpdir(), 'clients-'))
  })

  afterAll(async () => {
    if (bundles) await rm(bundles, { recursive: true })
    await receiver?.close()
    await service?.stop()
  })

  it('compile as strict TypeScript, with programs that find a title in every post', async () => {
    const { stdout } = await run(TSC, ['-p', TOOLS]).catch((error) => error as { stdout: string })
    expect(stdout).toBe('')
  })

  it.each(PROGRAMS)(
    'in %s put, list, get, read the sitemap, the export as a stream and the changes, and test the webhook',
    async (name) => {
      const outfile = join(bundles, `${name}.mjs`)
      const entryPoints = [join(TOOLS, 'programs', `${name}.ts`)]
      await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' })
      const { use } = (await import(pathToFileURL(outfile).href)) as { use: (given: Given) => Promise<Seen> }
      const titled = { slug: `by-${name}`, title: 'A title' }
      const before = receiver.received.get(given.siteId)?.length ?? 0
      expect(await use(given)).toEqual({
        put: 'created',
        listed: expect.arrayContaining([titled]),
        post: { ...titled, sources: 0 },
        missing: 'Guide not found',
        sitemap: expect.stringMatching(/^<\?xml.*<\/urlset>\n$/s),
        exported: { prompts: Array.from({ length: ROWS }, (_, at) => `${at}`), next: null },
        changed: expect.arrayContaining([titled]),
        tested: true,
      })
      const [test] = receiver.received.get(given.siteId)!.slice(before)
      expect(JSON.parse(test!.body)).toMatchObject({ event: 'webhook.test', siteId: given.siteId })
    },
  )
})
