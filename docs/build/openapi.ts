/**
 * Part of `npm run generate`: writes the OpenAPI documents of both APIs, with the examples of `examples.json`. `--check` fails if a
 * document is out of date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import {
  type ApiDescription,
  type Examples,
  makeDocument,
  type Operation,
  type Tag,
} from '../../functions/http/document.ts'

type App = { routes: { method: string; path: string }[] }

const PUBLIC = join(import.meta.dirname, '../../functions/public')
const EXAMPLES = join(import.meta.dirname, 'examples.json')

// Stubs for modules of the Workers runtime.
registerHooks({
  resolve: (name, context, resolve) =>
    name.startsWith('cloudflare:')
      ? { url: 'data:text/javascript,export const connect = null', shortCircuit: true }
      : resolve(name, context),
})

// Both documents say since when a field exists.
const { describeLimits } = await import('../../functions/manage/limits.ts')
describeLimits()

const { api, apiDescription } = await import('../../functions/api/api.ts')
await put(apiDescription(), api, [
  tag('Posts', 'Drafts and published posts.', await import('../../functions/api/posts.ts')),
  tag('Guides', 'Published guides.', await import('../../functions/api/guides.ts')),
  tag('Sitemap', 'The sitemap for crawlers.', await import('../../functions/api/sitemap.ts')),
  tag(
    'Redirects',
    'Redirects from old paths to current ones.',
    await import('../../functions/api/redirects.ts'),
  ),
  tag(
    'Training',
    'Training rows of sites that have opted in.',
    await import('../../functions/api/training.ts'),
  ),
  tag(
    'Changes',
    'The change feed, to keep a copy up to date.',
    await import('../../functions/api/changes.ts'),
  ),
  tag(
    'Webhooks',
    'Events that the service sends, and a test event.',
    await import('../../functions/api/webhooks.ts'),
  ),
])

const { manage, manageDescription } = await import('../../functions/manage/manage.ts')
await put(manageDescription(), manage, [
  tag(
    'Sites',
    'A site has posts, guides, keys, a sitemap and webhooks.',
    await import('../../functions/manage/sites.ts'),
  ),
  tag('Keys', 'The API keys of a site.', await import('../../functions/manage/keys.ts')),
  tag('Posts', 'Drafts and published posts, by slug.', {
    ...(await import('../../functions/manage/posts.ts')),
    ...(await import('../../functions/manage/publication-schedule.ts')),
    ...(await import('../../functions/manage/change-request.ts')),
  }),
  tag(
    'Preview links',
    'Links that show a draft to others.',
    await import('../../functions/manage/preview-links.ts'),
  ),
  tag('Guides', 'Guides, by slug.', await import('../../functions/manage/guides.ts')),
  tag(
    'Changes',
    'The change feed, to keep a complete copy.',
    await import('../../functions/manage/changes.ts'),
  ),
  tag(
    'Sitemap',
    'The sitemap at a URL that needs no key.',
    await import('../../functions/manage/sitemap.ts'),
  ),
  tag('Redirects', 'Redirects from old paths.', await import('../../functions/manage/redirects.ts')),
  tag('Training', 'Rows for the training export.', await import('../../functions/manage/training.ts')),
  tag('Webhooks', 'The webhooks of a site, their events and deliveries.', {
    ...(await import('../../functions/manage/webhooks.ts')),
    ...(await import('../../functions/manage/webhook-endpoints.ts')),
    ...(await import('../../functions/manage/resends.ts')),
  }),
  tag('Alerts', 'Alerts to the operator of the service.', await import('../../functions/manage/alerts.ts')),
  tag('Usage', 'The number of requests to a site.', await import('../../functions/manage/usage.ts')),
  tag('Operators', 'People and programs that write, and their roles.', {
    ...(await import('../../functions/manage/operators.ts')),
    ...(await import('../../functions/manage/sign-ins.ts')),
  }),
  tag('Audit log', 'A log of all writes.', await import('../../functions/manage/audit-log.ts')),
  tag('Sweep', 'The hourly maintenance jobs.', await import('../../functions/manage/sweep.ts')),
])

async function put(api: ApiDescription, app: App, tags: Tag[]): Promise<void> {
  const examples = JSON.parse(await readFile(EXAMPLES, 'utf8')) as Record<string, Examples>
  const document = makeDocument(api, routesOf(app), tags, examples[api.root] ?? {})
  const text = `${JSON.stringify(document, null, 1)}\n`
  const file = join(PUBLIC, api.root, 'openapi.json')
  if (process.argv.includes('--check')) {
    const committed = await readFile(file, 'utf8').catch(() => '')
    if (committed === text) return
    console.error(`${file} differs from the code: npm run generate`)
    process.exitCode = 1
  } else {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** Excludes middleware and the document itself. */
function routesOf({ routes }: App): string[] {
  const own = routes.filter(({ method, path }) => method !== 'ALL' && path !== '/openapi.json')
  return [...new Set(own.map(({ method, path }) => `${method} ${path}`))]
}

/** Operations are the exports named `…Operation` or `…Operations`. */
function tag(name: string, description: string, resource: object): Tag {
  const operations: Operation[] = Object.entries(resource)
    .filter(([exported]) => /Operations?$/.test(exported))
    .flatMap(([, describe]) => describe())
  return { name, description, operations }
}
