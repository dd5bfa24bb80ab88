/** The blocks of a post as plain HTML: their comments go, and what WordPress would make of them is named. */
import { escapeHtml, figure, hostOf, linkTo } from '../convert/markup.ts'

type Block = { name: string; attributes: Record<string, unknown>; start: number }

const DELIMITER = /^<!--\s+(\/)?wp:([a-z][a-z0-9_-]*(?:\/[a-z][a-z0-9_-]*)?)\s*(\{[\s\S]*\})?\s*(\/)?-->$/

/** Blocks without content of their own: nothing is lost with them. */
const BLANK = new Set(['spacer', 'more', 'nextpage', 'separator', 'paragraph', 'column'])

export function hasBlocks(html: string): boolean {
  return /<!--\s+wp:/.test(html)
}

/** `lose` is called with a reason for each block that is not taken over as it was. */
export function withoutBlocks(html: string, lose: (reason: string) => void): string {
  let output: string[] = []
  const open: (Block & { outer: string[] })[] = []
  let at = 0
  // Between blocks are blank lines, and where blocks go, many.
  const add = (text: string) => {
    if (text.trim()) output.push(text)
    else if (text && !output.at(-1)?.endsWith('\n')) output.push('\n')
  }
  for (let from = html.indexOf('<!--'); from >= 0; from = html.indexOf('<!--', at)) {
    const end = html.indexOf('-->', from)
    if (end < 0) break
    const delimiter = DELIMITER.exec(html.slice(from, end + 3))
    add(html.slice(at, from))
    at = end + 3
    if (!delimiter) continue
    const [, closing, fullName = '', json, isVoid] = delimiter
    const name = fullName.replace(/^core\//, '')
    if (isVoid) loseVoid(name, attributesOf(json), lose)
    else if (!closing) {
      open.push({ name, attributes: attributesOf(json), start: from, outer: output })
      output = []
    } else {
      const depth = open.findLastIndex((block) => block.name === name)
      while (depth >= 0 && open.length > depth) {
        const block = open.pop()
        if (block) output = [...takeBack(block.outer), rendered(block, output.join(''), lose)]
      }
    }
  }
  output.push(html.slice(at))
  for (let block = open.pop(); block; block = open.pop()) {
    output = [...block.outer, rendered(block, output.join(''), lose)]
  }
  return output.join('')
}

// One text instead of many, so that what is copied stays short.
function takeBack(outer: string[]): string[] {
  return [outer.join('')]
}

function rendered({ name, attributes }: Block, inner: string, lose: (reason: string) => void): string {
  if (name === 'embed' || name.startsWith('core-embed/')) return embed(attributes, inner, lose)
  if (name === 'spacer') return ''
  if (name === 'cover' || name === 'media-text') return withPicture(attributes, inner)
  return inner
}

function embed(attributes: Block['attributes'], inner: string, lose: (reason: string) => void): string {
  const written =
    typeof attributes.url === 'string' ? attributes.url : /https?:\/\/[^\s<"]+/i.exec(inner)?.[0]
  if (!written || !/^https?:\/\//i.test(written)) return inner
  lose(`the embed of ${hostOf(written)} is a link`)
  const from = inner.indexOf('<figcaption')
  const to = inner.indexOf('</figcaption>', from)
  const caption = from < 0 || to < 0 ? '' : inner.slice(inner.indexOf('>', from) + 1, to)
  return figure(linkTo(written), caption)
}

/** A cover's picture used to be the background of its element. */
function withPicture({ url, backgroundType }: Block['attributes'], inner: string): string {
  if (typeof url !== 'string' || backgroundType === 'video' || /<(?:img|video)\b/i.test(inner)) return inner
  const tagEnd = inner.indexOf('>') + 1
  return `${inner.slice(0, tagEnd)}<img src="${escapeHtml(url)}" alt="">${inner.slice(tagEnd)}`
}

function loseVoid(name: string, attributes: Block['attributes'], lose: (reason: string) => void): void {
  if (BLANK.has(name)) return
  if (name === 'block') lose(`the reusable block ${attributes.ref ?? ''} stands elsewhere, and is left out`)
  else lose(`the block ${name} is made by WordPress when the page is shown, and is left out`)
}

function attributesOf(json: string | undefined): Block['attributes'] {
  try {
    const attributes: unknown = JSON.parse(json ?? '{}')
    return typeof attributes === 'object' && attributes !== null ? (attributes as Block['attributes']) : {}
  } catch {
    return {}
  }
}
