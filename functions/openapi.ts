/**
 * A program for Node: writes the OpenAPI documents of both APIs, as they are deployed. With `--check` it fails if a
 * document differs from what the code says.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { type ApiDescription, makeDocument, type Operation } from './http/document.ts'

type App = { routes: { method: string; path: string }[] }

const PUBLIC = join(import.meta.dirname, 'public')

// Modules of the Workers runtime, which descriptions do not need.
registerHooks({
  resolve: (name, context, resolve) =>
    name.startsWith('cloudflare:')
      ? { url: 'data:text/javascript,export const connect = null', shortCircuit: true }
      : resolve(name, context),
})

const { api, apiDescription } = await import('./api/api.ts')
await put(apiDescription(), api, [
  await import('./api/posts.ts'),
  await import('./api/guides.ts'),
  await import('./api/sitemap.ts'),
  await import('./api/training.ts'),
  await import('./api/changes.ts'),
  await import('./api/webhooks.ts'),
])

const { manage, manageDescription } = await import('./manage/manage.ts')
await put(manageDescription(), manage, [
  await import('./manage/sites.ts'),
  await import('./manage/keys.ts'),
  await import('./manage/posts.ts'),
  await import('./manage/guides.ts'),
  await import('./manage/sitemap.ts'),
  await import('./manage/training.ts'),
  await import('./manage/webhooks.ts'),
  await import('./manage/sweep.ts'),
])

async function put(door: ApiDescription, app: App, resources: object[]): Promise<void> {
  const document = makeDocument(door, routesOf(app), resources.flatMap(operationsOf))
  const text = `${JSON.stringify(document, null, 1)}\n`
  const file = join(PUBLIC, door.root, 'openapi.json')
  if (process.argv.includes('--check')) {
    const committed = await readFile(file, 'utf8').catch(() => '')
    if (committed === text) return
    console.error(`${file} differs from the code: npm run openapi`)
    process.exitCode = 1
  } else {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** Without middleware and the document itself. */
function routesOf({ routes }: App): string[] {
  const own = routes.filter(({ method, path }) => method !== 'ALL' && path !== '/openapi.json')
  return [...new Set(own.map(({ method, path }) => `${method} ${path}`))]
}

/** The exports whose names end with `Operation` or `Operations`. */
function operationsOf(resource: object): Operation[] {
  return Object.entries(resource)
    .filter(([name]) => /Operations?$/.test(name))
    .flatMap(([, describe]) => describe())
}
