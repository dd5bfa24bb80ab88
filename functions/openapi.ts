/**
 * A program for Node: writes the OpenAPI documents of both doors, as they are deployed. With `--check` it fails where a
 * document is not what the code says.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { type Door, makeDocument, type Operation } from './http/document.ts'

type App = { routes: { method: string; path: string }[] }

const PUBLIC = join(import.meta.dirname, 'public')

// Modules of the Workers runtime, which no description needs.
registerHooks({
  resolve: (name, context, resolve) =>
    name.startsWith('cloudflare:')
      ? { url: 'data:text/javascript,export const connect = null', shortCircuit: true }
      : resolve(name, context),
})

const { api, apiDoor } = await import('./api/api.ts')
await put(apiDoor(), api, [
  await import('./api/posts.ts'),
  await import('./api/guides.ts'),
  await import('./api/sitemap.ts'),
  await import('./api/training.ts'),
  await import('./api/changes.ts'),
  await import('./api/webhooks.ts'),
])

const { manage, manageDoor } = await import('./manage/manage.ts')
await put(manageDoor(), manage, [
  await import('./manage/sites.ts'),
  await import('./manage/keys.ts'),
  await import('./manage/posts.ts'),
  await import('./manage/guides.ts'),
  await import('./manage/training.ts'),
  await import('./manage/webhooks.ts'),
])

async function put(door: Door, app: App, resources: object[]): Promise<void> {
  const document = makeDocument(door, routesOf(app), resources.flatMap(operationsOf))
  const text = `${JSON.stringify(document, null, 1)}\n`
  const file = join(PUBLIC, door.root, 'openapi.json')
  if (process.argv.includes('--check')) {
    const committed = await readFile(file, 'utf8').catch(() => '')
    if (committed === text) return
    console.error(`${file} is not what the code says: npm run openapi`)
    process.exitCode = 1
  } else {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** Without what every door has: middleware and the document itself. */
function routesOf({ routes }: App): string[] {
  const own = routes.filter(({ method, path }) => method !== 'ALL' && path !== '/openapi.json')
  return [...new Set(own.map(({ method, path }) => `${method} ${path}`))]
}

/** What a file exports under names that end with `Operation` or `Operations`. */
function operationsOf(resource: object): Operation[] {
  return Object.entries(resource)
    .filter(([name]) => /Operations?$/.test(name))
    .flatMap(([, describe]) => describe())
}
