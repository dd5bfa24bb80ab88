/** The frame of every page of `/docs`: header, navigation, the page, and the pages before and after it. */
import { html, raw } from 'hono/html'
import type { Page } from './page.ts'

type Content = ReturnType<typeof html>
type Shown = Pick<Page, 'name' | 'title'> & Partial<Page>

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%233056d3'/><path d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.5' stroke-linecap='round'/></svg>"
/** Named after its version: another version is another file. See docs/build/pages/scalar.md. */
const SCALAR = '/docs/scalar-1.72.1.js'

const GUIDE_FILES = html`<link rel="stylesheet" href="/docs/console.css">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/console.js" defer></script>`
/** Without the console's stylesheet, whose rules for tags would change Scalar too. */
const REFERENCE_FILES = html`<link rel="stylesheet" href="/docs/reference.css">
<script src="${SCALAR}" defer></script>
<script src="/docs/reference.js" defer></script>`

/** Where Scalar puts the reference, and what is there without a script. */
export const referenceBody = html`<noscript><p>The reference needs JavaScript. Without it there are the OpenAPI documents:
<a href="/api/v1/openapi.json">/api/v1</a> and <a href="/manage/v1/openapi.json">/manage/v1</a>.</p></noscript>
<div id="main"></div>`

export function layout(pages: Page[], page: Shown, content: Content): Content {
  const isReference = page.name === 'reference'
  // Scalar has landmarks of its own.
  const top = isReference ? 'div' : 'header'
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
${isReference ? REFERENCE_FILES : GUIDE_FILES}
</head>
<body>
${raw(`<${top} class="top">`)}
<a class="visually-hidden skip" href="#main">Skip to content</a>
<div class="frame">
<nav class="crumbs" aria-label="Documentation"><ol>
<li><a class="brand" href="/docs/quick-start">Headless Content API</a></li>
</ol></nav>
<nav class="parts" aria-label="Parts"><ul>
<li><a href="/docs/quick-start"${!isReference && html` aria-current="true"`}>Guide</a></li>
<li><a href="/docs/reference"${isReference && html` aria-current="page"`}>Reference</a></li>
</ul></nav>
</div>
${raw(`</${top}>`)}
${isReference ? content : guideFrame(pages, page, content, before, after)}
</body>
</html>
`
}

function guideFrame(pages: Page[], page: Shown, content: Content, before?: Page, after?: Page): Content {
  return html`<div class="frame site">
<nav class="tabs" aria-label="Guide"><ul>
${pages.map(
  ({
    name,
    title,
  }) => html`<li><a href="/docs/${name}"${name === page.name && html` aria-current="page"`}>${title}</a></li>
`,
)}</ul></nav>
<main id="main" class="prose">
${content}
${
  page.summary &&
  html`<nav class="turn" aria-label="Pages">
${before && html`<a href="/docs/${before.name}" rel="prev"><span>Before</span> ${before.title}</a>`}
${after && html`<a href="/docs/${after.name}" rel="next"><span>Next</span> ${after.title}</a>`}
</nav>
<p class="as-text"><a href="/docs/${page.name}.md">This page as Markdown</a></p>`
}
</main>
</div>`
}
