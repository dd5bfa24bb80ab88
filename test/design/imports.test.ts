import { globSync, readFileSync } from 'node:fs'
import { dirname, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

type Import = { from: string; to: string }

const files = globSync(['functions/**/*.{ts,tsx}', 'src/**/*.ts'])
const imports: Import[] = files.flatMap((from) =>
  [...readFileSync(from, 'utf8').matchAll(/(?:from|import) '([^']+)'/g)].map(([, target]) => ({
    from,
    to: target!.startsWith('.') ? normalize(`${dirname(from)}/${target}`) : target!,
  })),
)

const below = (folder: string) => (path: string) => path.startsWith(`${folder}/`)
const offenders = (from: (path: string) => boolean, to: (path: string) => boolean) =>
  imports.filter((each) => from(each.from) && to(each.to)).map((each) => `${each.from} → ${each.to}`)

/** Pure functions and constants: they import only each other. */
const PURE = [
  'byte-budget',
  'digest',
  'errors',
  'fold',
  'html-text',
  'json-value',
  'log',
  'lru-cache',
  'network',
  'paging',
  'retry',
  'single-flight',
  'zod-messages',
  'slug',
  'time',
  'token',
  'urls',
  'uuid',
  'wire-shape',
].map((name) => `src/${name}.ts`)
const APIS = ['functions/api', 'functions/manage', 'functions/console']
const isPure = (path: string) => PURE.includes(path)
const isOurs = (path: string) => /^(functions|src|drizzle|test)\//.test(path)
const FOUNDATION = [
  'src/actor.ts',
  'src/caches.ts',
  'src/config.ts',
  'src/context.ts',
  'src/encryption.ts',
  'src/marks.ts',
  'src/purges.ts',
  'src/rate-limiter.ts',
  'src/redis.ts',
  'src/site-versions.ts',
]
const isFoundation = (path: string) => isPure(path) || below('src/db')(path) || FOUNDATION.includes(path)
/** What Node runs before a deployment. */
const isProgram = (path: string) => /^functions\/(openapi\.ts|pages\.ts|pages\/)/.test(path)
const isWorkerSource = (path: string) =>
  below('src')(path) && !['src/cli', 'src/local', 'src/sdk'].some((each) => below(each)(path))
/** What the npm package has for Node alone. */
const NODE_STORES = ['folder', 'lock', 'sqlite'].map((name) => `src/sdk/client/${name}.ts`)
/** Made from the OpenAPI document. */
const GENERATED = 'src/sdk/client/openapi.ts'

describe('imports go downward', () => {
  it('reads all files', () => {
    expect(files.length).toBeGreaterThan(60)
    expect(imports.length).toBeGreaterThan(200)
  })

  it('src never imports functions or Hono', () => {
    expect(offenders(below('src'), (to) => below('functions')(to) || /^@?hono\b/.test(to))).toEqual([])
  })

  it('pure files import only pure files', () => {
    expect(offenders(isPure, (to) => isOurs(to) && !isPure(to))).toEqual([])
  })

  it('config, context, caches, db, redis and the site versions import no noun', () => {
    expect(
      offenders(
        (from) => isFoundation(from),
        (to) => isOurs(to) && !isFoundation(to),
      ),
    ).toEqual([])
  })

  it('webhooks import no other noun', () => {
    expect(
      offenders(below('src/webhooks'), (to) => isOurs(to) && !isFoundation(to) && !below('src/webhooks')(to)),
    ).toEqual([])
  })

  it('the signature check imports webhooks and no other noun', () => {
    const isAllowed = (to: string) =>
      isFoundation(to) || below('src/webhooks')(to) || below('src/signature-check')(to)
    expect(offenders(below('src/signature-check'), (to) => isOurs(to) && !isAllowed(to))).toEqual([])
  })

  it("the receiver's kit imports nothing", () => {
    expect(
      offenders(
        (from) => from === 'src/sdk/webhooks.ts',
        () => true,
      ),
    ).toEqual([])
  })

  it('the API, the management API and the console never import each other', () => {
    for (const api of APIS) {
      const others = APIS.filter((each) => each !== api)
      expect(offenders(below(api), (to) => others.some((other) => below(other)(to)))).toEqual([])
    }
    expect(offenders(below('functions/http'), (to) => APIS.some((api) => below(api)(to)))).toEqual([])
  })

  it('a route of the API gets what a key opens only from serveRead or requireKey, which confirm it', () => {
    const takesUnconfirmed = (path: string) =>
      ['src/admission.ts', 'src/credentials.ts', 'src/keys.ts'].includes(path)
    expect(offenders(below('functions/api'), takesUnconfirmed)).toEqual([])
    for (const path of files.filter(below('functions/api'))) {
      const source = readFileSync(path, 'utf8')
      expect(source, path).not.toMatch(/\bauthenticate\b/)
      const handlers = source.match(/\.(get|post)\(\s*'\/(sites|webhooks)/g) ?? []
      const confirmed = source.match(/serveRead\(c, |site \} = await requireKey\(c\)/g) ?? []
      expect(confirmed, path).toHaveLength(handlers.length)
    }
  })

  it('the npm package imports nothing of the service, and Node only for the stores on disk', () => {
    expect(offenders(below('src/sdk'), (to) => isOurs(to) && !below('src/sdk')(to))).toEqual([])
    const elsewhere = (from: string) => below('src/sdk')(from) && !NODE_STORES.includes(from)
    expect(offenders(elsewhere, (to) => to.startsWith('node:') || NODE_STORES.includes(to))).toEqual([])
    expect(offenders((from) => !below('src/sdk')(from), below('src/sdk'))).toEqual([])
  })

  it('the Worker imports neither the command line nor the local stack nor Node', () => {
    expect(
      offenders(
        (from) => (below('functions')(from) && !isProgram(from)) || isWorkerSource(from),
        (to) => below('src/cli')(to) || below('src/local')(to) || to.startsWith('node:') || isProgram(to),
      ),
    ).toEqual([])
  })

  it('the command line is a client of the management API, and imports only pure files of the Worker', () => {
    const isChecked = ({ from }: Import) => from === 'src/cli/import/check.ts'
    const isForeign = (to: string) => isOurs(to) && !below('src/cli')(to) && !isPure(to)
    expect(
      imports.filter((each) => below('src/cli')(each.from) && isForeign(each.to) && !isChecked(each)),
    ).toEqual([])
    // But a dry run checks articles by the schemas of the API.
    expect(imports.filter((each) => isChecked(each) && isForeign(each.to)).map(({ to }) => to)).toEqual([
      'src/guides.ts',
      'src/posts/input.ts',
    ])
  })
})

describe('apps', () => {
  it('are made by createApp, so that the bundle has one router', () => {
    expect(files.filter((file) => /\bnew Hono\b/.test(readFileSync(file, 'utf8')))).toEqual([])
  })
})

describe('the environment', () => {
  it('is read by the configuration, and on Node by the entry points', () => {
    const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(file, 'utf8')))
    expect(readers.filter((file) => !/^src\/(cli|local)\//.test(file))).toEqual([])
  })
})

describe('files', () => {
  it('have at most 300 lines, except for the schema and what is generated', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 301)
    expect(long.filter((file) => file !== 'src/db/schema.ts' && file !== GENERATED)).toEqual([])
  })
})
