/**
 * A program for Node: writes the pages of `/docs` from docs/guide, each also as Markdown, and `/llms.txt`. With `--check`
 * it fails if a page differs from its source.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { html, raw } from 'hono/html'
import { layout, referenceBody } from './pages/layout.ts'
import { type Page, readPage } from './pages/page.ts'

const PUBLIC = join(import.meta.dirname, '../../functions/public')
const GUIDE = join(import.meta.dirname, '../guide')

/** In the order of the navigation. */
const NAMES = [
  'quick-start',
  'keys',
  'sync',
  'webhooks',
  'sitemap',
  'training',
  'moving',
  'client',
  'static-sites',
  'errors',
  'limits',
  'costs',
  'versioning',
  'reference',
]

const pages = await Promise.all(NAMES.map((name) => readPage(GUIDE, name)))
const MISSING = { name: '', title: 'Page not found' }

for (const page of pages) {
  const content = page.name === 'reference' ? referenceBody : raw(page.html)
  await put(`docs/${page.name}.html`, String(await layout(pages, page, content)))
  await put(`docs/${page.name}.md`, page.markdown)
}
const apology = html`<h1>Page not found</h1>
<p>The guide begins with the <a href="/docs/quick-start">quick start</a>.</p>`
const consoleStyles = await readFile(join(PUBLIC, 'console/console.css'), 'utf8')
const colours = consoleStyles.slice(consoleStyles.indexOf(':root'), consoleStyles.indexOf('*,\n'))
const styles = await readFile(join(import.meta.dirname, 'pages/reference.css'), 'utf8')
await put('docs/reference.css', colours + styles)
await put('docs/_missing.html', String(await layout(pages, MISSING, apology)))
await put('llms.txt', llmsText(pages))

/** See https://llmstxt.org. */
function llmsText(all: Page[]): string {
  const lines = all.map(({ name, title, summary }) => `- [${title}](/docs/${name}.md): ${summary}`)
  return `# Headless Content API

> Serves the draft and published posts and the guides of many sites as JSON, their sitemap as XML and a training export as NDJSON, and tells a CMS by a signed webhook when a quality-checked draft is ready.

## Guide

${lines.join('\n')}

## OpenAPI

- [/api/v1](/api/v1/openapi.json): what a CMS or a site reads, with a site's key
- [/manage/v1](/manage/v1/openapi.json): what the operator writes, with the operator's token
`
}

async function put(path: string, text: string): Promise<void> {
  const file = join(PUBLIC, path)
  if (process.argv.includes('--check')) {
    if ((await readFile(file, 'utf8').catch(() => '')) === text) return
    console.error(`${file} differs from docs/guide: npm run pages`)
    process.exitCode = 1
  } else {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
