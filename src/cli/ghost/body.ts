import { convertMarkdown } from '../../convert/convert.ts'
import { cleanHtml, lossOfDropped } from '../../convert/html.ts'
import type { CheckHtml } from '../../convert/limits.ts'
import { EMAILED, type Fields, FORM, GATED } from './cards.ts'
import { renderLexical } from './lexical.ts'
import { textOf } from './markup.ts'
import { renderMobiledoc } from './mobiledoc.ts'
import { withoutControls, withoutGatedParts } from './rendered-cards.ts'

type BodyLoss = { reason: string; detail?: string }
/** Limits bodies. @throws Error with a one-line reason */
export type BodyChecks = { html?: CheckHtml; markdown?: CheckHtml }
type Body = { html: string; losses: BodyLoss[] }

const MARKDOWN_CARD = /"markdown":\s*"((?:[^"\\]|\\.)*)"/g
const EDITORS = { lexical: renderLexical, mobiledoc: renderMobiledoc }

/** Prefers rendered `html`, then the editor's document, then Markdown. @throws Error with a one-line reason */
export function bodyOf(row: Fields, check: BodyChecks = {}): Body {
  const { html, losses } = rendered(row, check)
  check.html?.(html)
  const open = withoutGatedParts(html)
  const shown = withoutControls(open.html)
  const clean = cleanHtml(shown.html)
  return {
    html: clean.html,
    losses: [
      ...losses,
      ...Array<BodyLoss>(open.gated).fill({ reason: GATED }),
      ...Array<BodyLoss>(shown.forms).fill({ reason: FORM }),
      ...clean.dropped.map(lossOfDropped),
    ],
  }
}

function rendered(row: Fields, check: BodyChecks): Body {
  const html = textOf(row.html)
  if (html.trim()) return { html, losses: Array<BodyLoss>(emailedIn(row)).fill({ reason: EMAILED }) }
  const losses: BodyLoss[] = []
  for (const [name, render] of Object.entries(EDITORS)) {
    const written = textOf(row[name])
    if (!written) continue
    checkDocument(written, check)
    try {
      const html = render(JSON.parse(written), (reason, detail) => losses.push({ reason, detail }))
      return { html, losses }
    } catch (error) {
      if (error instanceof RangeError) throw new Error('nested too deeply')
      losses.push({ reason: 'the document of the editor cannot be read', detail: name })
    }
  }
  const markdown = textOf(row.markdown)
  if (markdown) {
    check.markdown?.(markdown)
    const converted = convertMarkdown(markdown, { hasTitle: true })
    return { html: converted.html, losses: [...losses, ...converted.losses] }
  }
  return { html: '', losses: [...losses, { reason: 'the export has no body for it' }] }
}

/** Markdown cards are converted, too. */
function checkDocument(json: string, check: BodyChecks): void {
  check.html?.(json)
  for (const [, markdown = ''] of json.matchAll(MARKDOWN_CARD))
    check.markdown?.(markdown.replaceAll('\\n', '\n'))
}

/** Counts e-mail cards in the editor's JSON; Ghost leaves them out of the HTML. */
function emailedIn({ lexical, mobiledoc }: Fields): number {
  const written = textOf(lexical) || textOf(mobiledoc)
  return written.match(/(?:"type":|\[)"email(?:-cta)?"/g)?.length ?? 0
}
