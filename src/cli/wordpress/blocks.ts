/** Converts blocks to plain HTML. Blocks that WordPress renders dynamically are reported. */

import { escapeHtml, figure, hostOf, linkTo } from '../../convert/markup.ts'
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import type { LosePart } from '../import/losses.ts'

type Block = { name: string; attributes: Record<string, unknown>; start: number }

const DELIMITER = /^<!--\s+(\/)?wp:([a-z][a-z0-9_-]*(?:\/[a-z][a-z0-9_-]*)?)(?:\s*(\{[\s\S]*\}))?\s*(\/)?-->$/

const BLANK = new Set(['footnotes', 'spacer', 'more', 'nextpage', 'separator', 'paragraph', 'column'])

/** Classes of blocks that WordPress renders on each view. */
const DYNAMIC_BLOCK =
  /^wp-block-(archives|calendar|categories|comments|latest-comments|latest-posts|loginout|navigation|page-list|post-comments|post-comments-form|query|rss|search|tag-cloud)$/
const HIDDEN = 'a hidden block is left out'
const MAX_DEPTH = 50

/** A block shared by posts. Hidden ones are not for all readers. */
export type ReusableBlock = { content: string; isHidden: boolean }

export type Blocks = { block(ref: number): ReusableBlock | undefined }

export function dynamicBlockOf({ id, className: classes }: Record<string, unknown>): string | undefined {
  // A theme's shortcode may show it, too.
  if (id === 'wp-calendar') return 'calendar'
  if (!Array.isArray(classes)) return undefined
  return classes.map((name) => DYNAMIC_BLOCK.exec(String(name))?.[1]).find(Boolean)
}

export function refsIn(html: string): number[] {
  return [...html.matchAll(/<!--\s+wp:(?:core\/)?block\s+\{[^{}]*?"ref":(\d+)/g)].map(([, ref]) =>
    Number(ref),
  )
}

export function hasBlocks(html: string): boolean {
  return /<!--\s+wp:/.test(html)
}

/** Inserts reusable blocks. Reports each block that changes. */
export function withoutBlocks(html: string, blocks: Blocks, lose: LosePart): string {
  return expanded(html, { blocks, lose, inside: [], room: { bytes: MAX_BODY_BYTES } })
}

type Expansion = { blocks: Blocks; lose: LosePart; inside: number[]; room: { bytes: number } }

function expanded(html: string, expansion: Expansion): string {
  const { lose } = expansion
  let output: string[] = []
  const open: (Block & { outer: string[] })[] = []
  let at = 0
  // Removed blocks leave many blank lines.
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
    const attributes = attributesOf(json)
    if (isVoid && isHidden(attributes)) lose(HIDDEN, name)
    else if (isVoid && name === 'block') add(reusable(attributes, expansion))
    else if (isVoid) loseVoid(name, lose)
    else if (!closing) {
      open.push({ name, attributes, start: from, outer: output })
      output = []
    } else {
      const depth = open.findLastIndex((block) => block.name === name)
      while (depth >= 0 && open.length > depth) {
        const block = open.pop()
        if (block) output = [...joined(block.outer), rendered(block, output.join(''), lose)]
      }
    }
  }
  output.push(html.slice(at))
  for (let block = open.pop(); block; block = open.pop()) {
    output = [...block.outer, rendered(block, output.join(''), lose)]
  }
  return output.join('')
}

// Joined, so that later copies stay short.
function joined(outer: string[]): string[] {
  return [outer.join('')]
}

function reusable({ ref, content }: Block['attributes'], expansion: Expansion): string {
  const { blocks, lose, inside, room } = expansion
  const number = Number(ref)
  const block = blocks.block(number)
  if (!block) lose('a reusable block that is not in this import is left out', String(ref))
  else if (block.isHidden)
    lose('a reusable block that is a draft, private or has a password is left out', String(ref))
  else if (inside.includes(number) || inside.length === MAX_DEPTH || block.content.length > room.bytes)
    lose('reusable blocks are nested too deeply, or make it larger than 8 MiB: one is left out', String(ref))
  else {
    if (content) lose('a reusable block has its own text here, which is left out', String(ref))
    room.bytes -= block.content.length
    return expanded(block.content, { ...expansion, inside: [...inside, number] })
  }
  return ''
}

function rendered({ name, attributes }: Block, inner: string, lose: LosePart): string {
  if (isHidden(attributes)) {
    lose(HIDDEN, name)
    return ''
  }
  if (name === 'embed' || name.startsWith('core-embed/')) return embed(attributes, inner, lose)
  if (name === 'spacer') return ''
  if (name === 'cover' || name === 'media-text') return withPicture(attributes, inner)
  return inner
}

function embed(attributes: Block['attributes'], inner: string, lose: LosePart): string {
  const address =
    typeof attributes.url === 'string' ? attributes.url : /https?:\/\/[^\s<"]+/i.exec(inner)?.[0]
  if (!address || !/^https?:\/\//i.test(address)) return inner
  lose('an embed becomes a link', hostOf(address))
  const from = inner.indexOf('<figcaption')
  const to = inner.indexOf('</figcaption>', from)
  const caption = from < 0 || to < 0 ? '' : inner.slice(inner.indexOf('>', from) + 1, to)
  return figure(linkTo(address), caption)
}

/** In old versions, a cover's image was only a CSS background. */
function withPicture({ url, backgroundType }: Block['attributes'], inner: string): string {
  if (typeof url !== 'string' || backgroundType === 'video' || /<(?:img|video)\b/i.test(inner)) return inner
  const tagEnd = inner.indexOf('>') + 1
  return `${inner.slice(0, tagEnd)}<img src="${escapeHtml(url)}" alt="">${inner.slice(tagEnd)}`
}

function loseVoid(name: string, lose: LosePart): void {
  if (!BLANK.has(name)) lose('a block that WordPress renders on each view is left out', name)
}

/** WordPress 6.9 lets editors hide blocks. */
function isHidden({ metadata }: Block['attributes']): boolean {
  return (metadata as { blockVisibility?: unknown } | null | undefined)?.blockVisibility === false
}

function attributesOf(json: string | undefined): Block['attributes'] {
  try {
    const attributes: unknown = JSON.parse(json ?? '{}')
    return typeof attributes === 'object' && attributes !== null ? (attributes as Block['attributes']) : {}
  } catch {
    return {}
  }
}
