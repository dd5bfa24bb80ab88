import { cleanHtml, lossOfDropped } from '../../convert/html.ts'
import type { CheckHtml } from '../../convert/limits.ts'
import { hostOf, linkTo } from '../../convert/markup.ts'
import { htmlToText } from '../../html/text.ts'
import type { LosePart, Reason } from '../import/losses.ts'
import { type Blocks, dynamicBlockOf, hasBlocks, withoutBlocks } from './blocks.ts'
import { markFootnotes, withFootnotes } from './footnotes.ts'
import { withParagraphs } from './paragraphs.ts'
import { type Attachments, replaceShortcodes } from './shortcodes.ts'

const MORE = /<!--\s*more\b[^>]{0,1000}-->/i
const PAGE_BREAK = /<!--\s*nextpage\s*-->/gi
const LONE_ADDRESS = /^<p>\s*(https?:\/\/[^\s<]+)\s*<\/p>$/gim
const EMPTY_PARAGRAPH = /<p>\s*<\/p>\n?/g

/** Parts that are stored outside the body. `footnotes` is JSON, or empty. */
export type Material = Attachments & Blocks & { footnotes?: string; checkHtml?: CheckHtml }

export type Body = {
  html: string
  teaser: string | undefined
  losses: { reason: Reason; detail?: string }[]
}

/** Converts the raw body of the block editor or the classic editor. @throws any error of `checkHtml` */
export function bodyOf(raw: string, material: Material): Body {
  material.checkHtml?.(raw)
  const whole = withFootnotes(raw, material.footnotes ?? '')
  return inParts(whole ?? raw, (part, lose) => {
    if (whole === null) lose('its footnotes cannot be read')
    const pages = part.split(PAGE_BREAK)
    if (pages.length > 1) lose('its pages are joined', String(pages.length))
    return convert(pages.join('\n\n'), material, lose)
  })
}

/** Converts rendered HTML, without blocks that WordPress renders on each view. */
export function renderedBodyOf(rendered: string): Body {
  return inParts(rendered, (part, lose) => {
    const pages = part.split(PAGE_BREAK)
    if (pages.length > 1) lose('its pages are joined', String(pages.length))
    const html = cleaned(markFootnotes(pages.join('\n\n')), lose).replace(EMPTY_PARAGRAPH, '')
    replaceShortcodes(html, null, lose)
    return html
  })
}

function inParts(written: string, htmlOf: (part: string, lose: LosePart) => string): Body {
  const losses = new Map<string, Body['losses'][number]>()
  const lose: LosePart = (reason, detail) => {
    losses.set(`${reason} ${detail}`, { reason, ...(detail !== undefined && { detail }) })
  }
  const more = MORE.exec(written)
  const html = htmlOf(written.replace(MORE, ''), lose)
  const teaser = more ? htmlToText(htmlOf(written.slice(0, more.index), () => {})).text : ''
  return { html, losses: [...losses.values()], teaser: teaser || undefined }
}

function convert(text: string, material: Material, lose: LosePart): string {
  const html = hasBlocks(text)
    ? replaceShortcodes(withoutBlocks(text, material, lose), material, lose)
    : withParagraphs(replaceShortcodes(text, material, lose)).replace(LONE_ADDRESS, (_, url: string) => {
        lose('an embed becomes a link', hostOf(url))
        return `<p>${linkTo(url.replaceAll('&amp;', '&'))}</p>`
      })
  material.checkHtml?.(html)
  return cleaned(html, lose)
}

function cleaned(html: string, lose: LosePart): string {
  const clean = cleanHtml(html, ({ tagName, properties }) => {
    const block = dynamicBlockOf(properties ?? {})
    if (block) lose('a block that WordPress renders on each view is left out', block)
    else if (tagName === 'form') lose('a form, which needs WordPress, is left out')
    return block !== undefined || tagName === 'form'
  })
  for (const name of clean.dropped) {
    const { reason, detail } = lossOfDropped(name)
    lose(reason, detail)
  }
  return clean.html
}
