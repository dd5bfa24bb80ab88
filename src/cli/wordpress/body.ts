/** The body of a post as WordPress stores it, as HTML. */
import { htmlToText } from '../../foundation/html-text.ts'
import { bodySchema } from '../convert/elements.ts'
import { cleanHtml } from '../convert/html.ts'
import { hostOf, linkTo } from '../convert/markup.ts'
import { hasBlocks, withoutBlocks } from './blocks.ts'
import { withParagraphs } from './paragraphs.ts'
import { type Attachments, withoutShortcodes } from './shortcodes.ts'

const MORE = /<!--\s*more\b[^>]*-->/i
const PAGE_BREAK = /<!--\s*nextpage\s*-->/gi
const LONE_ADDRESS = /^<p>\s*(https?:\/\/[^\s<]+)\s*<\/p>$/gim

const WITH_CONTENT = new Set(bodySchema.strip)

export type Body = {
  html: string
  /** The text before `<!--more-->`, if there is one. */
  teaser: string | undefined
  /** Why parts of it are not taken over, each once. */
  losses: string[]
}

/** The body of `raw`, blocks or a post of the classic editor. */
export function bodyOf(raw: string, attachments: Attachments): Body {
  const more = MORE.exec(raw)
  const { html, losses } = convert(raw.replace(MORE, ''), attachments)
  const teaser = more ? textOf(convert(raw.slice(0, more.index), attachments).html) : undefined
  return { html, losses: [...losses], teaser: teaser || undefined }
}

/** The body of what WordPress has rendered. */
export function renderedBodyOf(rendered: string): Body {
  const losses = new Set<string>()
  const pages = rendered.split(PAGE_BREAK).length
  if (pages > 1) losses.add(`its ${pages} pages are joined`)
  const more = MORE.exec(rendered)
  const teaser = more ? textOf(rendered.slice(0, more.index)) : undefined
  return { html: cleaned(rendered, losses), losses: [...losses], teaser: teaser || undefined }
}

function convert(raw: string, attachments: Attachments): { html: string; losses: Set<string> } {
  const losses = new Set<string>()
  const lose = (reason: string) => losses.add(reason)
  const pages = raw.split(PAGE_BREAK)
  if (pages.length > 1) lose(`its ${pages.length} pages are joined`)
  const text = pages.join('\n\n')
  const html = hasBlocks(text)
    ? withoutShortcodes(withoutBlocks(text, lose), attachments, lose)
    : withParagraphs(withoutShortcodes(text, attachments, lose)).replace(LONE_ADDRESS, (_, url: string) => {
        lose(`the embed of ${hostOf(url)} is a link`)
        return `<p>${linkTo(url.replaceAll('&amp;', '&'))}</p>`
      })
  return { html: cleaned(html, losses), losses }
}

function cleaned(html: string, losses: Set<string>): string {
  const clean = cleanHtml(html)
  for (const name of clean.dropped) {
    losses.add(`${name} ${fateOf(name)}`)
  }
  return clean.html
}

function fateOf(name: string): string {
  if (name === 'iframe') return 'is a link to what it shows'
  return name.includes(' ') || WITH_CONTENT.has(name) ? 'is removed' : 'is left out, but not what is in it'
}

function textOf(html: string): string {
  return htmlToText(html).text
}
