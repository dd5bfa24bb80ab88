/** The frame of every page of `/docs`: header, navigation, content, and links to the previous and next page. */
import { html } from 'hono/html'
import type { Page } from './page.ts'
import type { Html, Reference } from './reference.ts'

type Shown = Pick<Page, 'name' | 'title'> & Partial<Page>

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%233056d3'/><path d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.5' stroke-linecap='round'/></svg>"

const PARTS = [
  { name: 'quick-start', text: 'Guide' },
  { name: 'reference', text: 'API' },
  { name: 'reference-management', text: 'Management' },
]

/** Pages with fewer headings show no table of contents. */
const MIN_HEADINGS = 3

export type Group = { name: string; pages: Page[] }

/** `reference`: a page made from an OpenAPI document. Its navigation lists operations instead of guide pages. */
export function layout(groups: Group[], page: Shown, content: Html, reference?: Reference): Html {
  const pages = groups.flatMap((group) => group.pages)
  const part = reference ? page.name : 'quick-start'
  const at = pages.findIndex(({ name }) => name === page.name)
  const [before, after] = at < 0 ? [] : [pages[at - 1], pages[at + 1]]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${page.title} · Headless Content API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${
  page.summary &&
  html`<meta name="description" content="${page.summary.replaceAll(/[`*]/g, '')}">
<link rel="alternate" type="text/markdown" href="/docs/${page.name}.md">`
}
${before && html`<link rel="prev" href="/docs/${before.name}">`}
${after && html`<link rel="next" href="/docs/${after.name}">`}
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/docs/theme.css">
<link rel="stylesheet" href="/docs/console.css">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/console.js" defer></script>
<script src="/docs/docs.js" defer></script>
</head>
<body>
<header class="top">
<a class="visually-hidden skip" href="#main">Skip to content</a>
<div class="frame">
<nav class="crumbs" aria-label="Documentation"><ol>
<li><a class="brand" href="/docs/quick-start"><img src="${ICON}" alt="" width="20" height="20">Headless Content API</a></li>
</ol></nav>
<nav class="parts" aria-label="Parts"><ul>
${PARTS.map(
  ({
    name,
    text,
  }) => html`<li><a href="/docs/${name}"${name === part && html` aria-current="true"`}>${text}</a></li>
`,
)}<li><a href="/console/sign-in">Console</a></li>
</ul></nav>
</div>
</header>
<div class="frame site">
${reference ? menuOf('Operations', reference.contents) : menuOf('Guide', guideOf(groups), `/docs/${page.name}`)}
<main id="main" class="prose${reference && html` reference`}">
${content}
${
  page.summary &&
  html`<nav class="turn" aria-label="Pages">
${before && html`<a href="/docs/${before.name}" rel="prev"><span>Previous</span> ${before.title}</a>`}
${after && html`<a href="/docs/${after.name}" rel="next"><span>Next</span> ${after.title}</a>`}
</nav>
<p class="as-text"><a href="/docs/${page.name}.md">This page as Markdown</a></p>`
}
</main>
${!reference && headingsOf(page)}
</div>
</body>
</html>
`
}

/** Folded on narrow screens. */
function menuOf(label: string, groups: Reference['contents'], current?: string): Html {
  return html`<nav class="contents" aria-label="${label}" tabindex="0"><details class="fold"><summary>${current ? 'All pages' : label}</summary>
${groups.map(
  ({ name, links }) => html`<details${name !== 'Schemas' && html` open`}><summary>${name}</summary><ul>
${links.map(
  ({ href, text }) =>
    html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}</a></li>
`,
)}</ul></details>
`,
)}</details></nav>`
}

const guideOf = (groups: Group[]): Reference['contents'] =>
  groups.map(({ name, pages }) => ({
    name,
    links: pages.map((page) => ({ href: `/docs/${page.name}`, text: page.title })),
  }))

function headingsOf({ headings = [] }: Shown): Html | undefined {
  if (headings.length < MIN_HEADINGS) return undefined
  return html`<nav class="contents headings" aria-label="On this page"><p>On this page</p><ul>
${headings.map(
  ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>
`,
)}</ul></nav>`
}
