/** The body of a post, from whichever of its forms the export has. */

import { convertMarkdown } from '../convert/convert.ts'
import { cleanHtml, lossOfDropped } from '../convert/html.ts'
import { EMAILED, type Fields, FORM, GATED } from './cards.ts'
import { renderLexical } from './lexical.ts'
import { textOf } from './markup.ts'
import { renderMobiledoc } from './mobiledoc.ts'
import { withoutControls, withoutGatedParts } from './rendered-cards.ts'

/** Reasons are those of the converter of Markdown too. */
type BodyLoss = { reason: string; detail?: string }
type Body = { html: string; losses: BodyLoss[] }

const EDITORS = { lexical: renderLexical, mobiledoc: renderMobiledoc }

/**
 * The sanitised HTML of a post, and what is lost of it: `html` as Ghost rendered it, else the document of the editor,
 * else Markdown. Throws an Error with a one-line reason when it is nested too deeply.
 */
export function bodyOf(row: Fields): Body {
  const { html, losses } = rendered(row)
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

function rendered(row: Fields): Body {
  const html = textOf(row.html)
  if (html.trim()) return { html, losses: Array<BodyLoss>(emailedIn(row)).fill({ reason: EMAILED }) }
  const losses: BodyLoss[] = []
  for (const [name, render] of Object.entries(EDITORS)) {
    const written = textOf(row[name])
    if (!written) continue
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
    const converted = convertMarkdown(markdown, 'md', { titled: true })
    return { html: converted.html, losses: [...losses, ...converted.losses] }
  }
  return { html: '', losses: [...losses, { reason: 'the export has no body of it' }] }
}

/** How many cards the editor has that the HTML has not, as they are in JSON. */
function emailedIn({ lexical, mobiledoc }: Fields): number {
  const written = textOf(lexical) || textOf(mobiledoc)
  return written.match(/(?:"type":|\[)"email(?:-cta)?"/g)?.length ?? 0
}
