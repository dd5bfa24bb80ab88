/**
 * Writes the pages of `/docs` from docs/guide and the OpenAPI documents, each also as Markdown, and `/llms.txt`. They are not
 * committed: `npm start`, `wrangler deploy` and the tests write them first.
 */
import { realpathSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { html, raw } from 'hono/html'
import { layout } from './pages/layout.ts'
import { type Page, readPage } from './pages/page.ts'
import { readReference } from './pages/reference.ts'
import { referenceText } from './pages/reference-text.ts'

const PUBLIC = join(import.meta.dirname, '../../functions/public')
const GUIDE = join(import.meta.dirname, '../guide')

/** The navigation, in order. */
const GROUPS = [
  { name: 'Start', pages: ['quick-start', 'keys', 'errors', 'limits'] },
  { name: 'Read', pages: ['sync', 'sitemap', 'previews', 'redirects', 'training'] },
  { name: 'Webhooks', pages: ['webhooks', 'deliveries', 'integrations'] },
  { name: 'Move in', pages: ['moving', 'markdown'] },
  { name: 'Tools', pages: ['client', 'static-sites', 'mcp'] },
  { name: 'Run', pages: ['costs', 'versioning'] },
  { name: 'Reference', pages: ['reference', 'reference-management'] },
]

const REFERENCES: Record<string, string> = {
  reference: 'api/v1/openapi.json',
  'reference-management': 'manage/v1/openapi.json',
}

const MISSING = { name: '', title: 'Page not found' }

/** @throws Error when a page does not begin with a title and a summary, or has a link that readers of the service cannot follow */
export default async function writePages(): Promise<void> {
  const files = await makePages()
  const isStale = (name: string) => /\.(html|md)$/.test(name) && !files.has(`docs/${name}`)
  const written = await readdir(join(PUBLIC, 'docs'))
  await Promise.all([
    ...[...files].map(([path, text]) => put(join(PUBLIC, path), text)),
    ...written.filter(isStale).map((name) => rm(join(PUBLIC, 'docs', name))),
  ])
}

/** By path below functions/public. */
async function makePages(): Promise<Map<string, string>> {
  const groups = await Promise.all(
    GROUPS.map(async ({ name, pages }) => ({
      name,
      pages: await Promise.all(pages.map((page) => readPage(GUIDE, page))),
    })),
  )
  const pages = groups.flatMap((group) => group.pages)
  const apology = html`<h1>Page not found</h1>
<p>The guide begins with the <a href="/docs/quick-start">quick start</a>. The <a href="/docs/reference">reference</a> lists all endpoints.</p>`
  const files = new Map([
    ['docs/_missing.html', String(await layout(groups, MISSING, apology))],
    ['llms.txt', llmsText(pages)],
  ])
  for (const page of pages) {
    const document = REFERENCES[page.name]
    const intro = raw(page.html)
    const reference = document ? await readReference(join(PUBLIC, document), intro) : undefined
    const content = reference?.content ?? intro
    files.set(`docs/${page.name}.html`, String(await layout(groups, page, content, reference)))
    const operations = document ? await referenceText(join(PUBLIC, document)) : ''
    files.set(`docs/${page.name}.md`, page.markdown + operations)
  }
  return files
}

/** See https://llmstxt.org. */
function llmsText(all: Page[]): string {
  const lines = all.map(({ name, title, summary }) => `- [${title}](/docs/${name}.md): ${summary}`)
  return `# Headless Content API

> Serves posts and guides of many sites as JSON, sitemaps as XML and a training export as NDJSON, and notifies a CMS with a signed webhook when a quality-checked draft is ready.

## Guide

${lines.join('\n')}

## OpenAPI

- [/api/v1](/api/v1/openapi.json): the read API, with an API key
- [/manage/v1](/manage/v1/openapi.json): the management API, with an operator's token
`
}

/** Leaves unchanged files alone, because a running service may be reading them. */
async function put(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => null)) !== text) await writeFile(file, text)
}

if (realpathSync(process.argv[1] ?? '') === import.meta.filename) await writePages()
