/** Converts WordPress's own shortcodes to HTML. Shortcodes of plugins and themes stay as text, and are reported. */
import { escapeHtml, figure, linkTo } from '../../convert/markup.ts'
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import type { LosePart } from '../import/losses.ts'
import { mediaKind } from '../import/media-kinds.ts'

export type Attachment = { url: string; alt: string; caption: string; width?: number; height?: number }

/** Images for galleries: by id, or all uploads of the post. */
export type Attachments = { byId(id: number): Attachment | undefined; ofPost(): Attachment[] }

type Attributes = Record<string, string>

const TAG = /\[(\[?)([a-zA-Z][\w-]*)((?:\s+|(?=\/?\]))(?:[^[\]"']|"[^"]*"|'[^']*')*?)?(\/?)\](\]?)/y
const ATTRIBUTE =
  /([\w-]+)\s*=\s*"([^"]*)"|([\w-]+)\s*=\s*'([^']*)'|([\w-]+)\s*=\s*([^\s"']+)|"([^"]*)"|([^\s"']+)/g
const SOURCES = {
  audio: ['src', 'mp3', 'm4a', 'ogg', 'wav', 'flac', 'wma'],
  video: ['src', 'mp4', 'm4v', 'webm', 'ogv', 'flv', 'wmv'],
}
const ENCLOSING = ['caption', 'wp_caption', 'audio', 'video', 'embed']
const EMPTY = ['gallery']

/** Image ids of each gallery; null for one that shows all uploads of the post. */
export function galleriesIn(text: string): (number[] | null)[] {
  return [...text.matchAll(/\[gallery\b([^\]]*)\]/g)].map(
    ([, written = '']) => idsOf(attributesOf(written)) ?? null,
  )
}

/** Leaves code unchanged. Without attachments, for rendered pages, it only reports shortcodes. */
export function replaceShortcodes(html: string, attachments: Attachments | null, lose: LosePart): string {
  if (!html.includes('[')) return html
  return outsideCode(html, (text) => renderShortcodes(text, attachments, lose))
}

function renderShortcodes(text: string, attachments: Attachments | null, lose: LosePart): string {
  const lastClose = new Map<string, number>()
  const closeOf = (name: string, from: number) => {
    const last = lastClose.get(name) ?? text.lastIndexOf(`[/${name}]`)
    lastClose.set(name, last)
    return last < from ? -1 : text.indexOf(`[/${name}]`, from)
  }
  const parts: string[] = []
  let room = MAX_BODY_BYTES
  let at = 0
  for (let from = text.indexOf('['); from >= 0; from = text.indexOf('[', Math.max(from + 1, at))) {
    TAG.lastIndex = from
    const match = TAG.exec(text)
    if (!match) continue
    const [tag, escapedStart, name = '', written = '', slash, escapedEnd] = match
    if (escapedStart && escapedEnd) {
      parts.push(text.slice(at, from), tag.slice(1, -1))
      at = from + tag.length
      continue
    }
    const start = escapedStart ? from + 1 : from
    let end = from + tag.length - (escapedEnd ? 1 : 0)
    const isKnown = ENCLOSING.includes(name) || EMPTY.includes(name)
    let content = ''
    const close = slash || EMPTY.includes(name) ? -1 : closeOf(name, end)
    if (close >= 0) content = text.slice(end, close)
    if (!isKnown) {
      if (looksLikeShortcode(text, start, end, written, Boolean(slash) || close >= 0)) {
        lose('the shortcode belongs to a plugin or theme: kept as text', `[${name}]`)
      }
      continue
    }
    if (!attachments) continue
    if (close >= 0) end = close + name.length + 3
    const rendered = render(name, attributesOf(written), content, attachments, lose)
    if (rendered === null) {
      lose('the content of the shortcode is not in this import: kept as text', `[${name}]`)
      continue
    }
    room -= rendered.length
    if (room < 0) throw new Error('its shortcodes make it larger than 8 MiB')
    parts.push(text.slice(at, start), rendered)
    at = end
  }
  return parts.join('') + text.slice(at)
}

function render(
  name: string,
  attributes: Attributes,
  content: string,
  attachments: Attachments,
  lose: LosePart,
): string | null {
  if (name === 'gallery') return gallery(attributes, attachments, lose)
  if (name === 'embed') return linkOrNull(content || attributes.src || attributes[''])
  if (name === 'audio' || name === 'video') return player(name, attributes, content)
  return caption(attributes, content)
}

function caption(attributes: Attributes, content: string): string {
  // Before WordPress 3.4, the caption was an attribute.
  const own = attributes.caption
  if (own !== undefined) return figure(content.trim(), own)
  const image = /^\s*(?:<a\b[^>]*>\s*<img\b[^>]*>\s*<\/a>|<img\b[^>]*>)/i.exec(content)
  if (!image) return figure(content.trim(), '')
  return figure(image[0].trim(), content.slice(image[0].length).trim())
}

function player(name: 'audio' | 'video', attributes: Attributes, content: string): string | null {
  const source = SOURCES[name].map((key) => attributes[key]).find(Boolean) ?? attributes[''] ?? content.trim()
  if (!source || /[<\s]/.test(source)) return null
  const poster = attributes.poster ? ` poster="${escapeHtml(attributes.poster)}"` : ''
  return `<figure><${name} src="${escapeHtml(source)}"${poster} controls></${name}></figure>`
}

function gallery(attributes: Attributes, attachments: Attachments, lose: LosePart): string | null {
  const ids = idsOf(attributes)
  if (!ids) {
    const own = attachments.ofPost().filter(({ url }) => mediaKind(url) !== 'other')
    return own.length > 0 ? own.map(pictureOf).join('\n') : null
  }
  const known = ids.flatMap((id) => attachments.byId(id) ?? [])
  if (known.length === 0) return null
  const missing = ids.length - known.length
  if (missing > 0) lose('images of a [gallery] are not in this import', `${missing} of ${ids.length}`)
  return known.map(pictureOf).join('\n')
}

function idsOf({ ids, include }: Attributes): number[] | undefined {
  return (ids ?? include)?.split(',').map(Number).filter(Boolean)
}

function pictureOf({ url, alt, caption }: Attachment): string {
  return figure(`<img src="${escapeHtml(url)}" alt="${escapeHtml(alt)}">`, caption)
}

function linkOrNull(url: string | undefined): string | null {
  const text = url?.trim()
  return text && /^https?:\/\/[^\s<]+$/i.test(text) ? `\n\n${linkTo(text)}\n\n` : null
}

function attributesOf(written: string): Attributes {
  const attributes: Attributes = {}
  for (const match of written.matchAll(ATTRIBUTE)) {
    const name = match[1] ?? match[3] ?? match[5] ?? ''
    const value = match[2] ?? match[4] ?? match[6] ?? match[7] ?? match[8] ?? ''
    attributes[name.toLowerCase()] ??= value
  }
  return attributes
}

/** A word in brackets may be prose, for example `[sic]`. */
function looksLikeShortcode(
  text: string,
  start: number,
  end: number,
  written: string,
  isClosed: boolean,
): boolean {
  if (isClosed || written.includes('=')) return true
  const before = text.slice(Math.max(0, start - 1), start)
  const after = text.slice(end, end + 1)
  const name = text.slice(start, end)
  return (
    /[_-]/.test(name) ||
    (/^[\s>]?$/.test(before) && before !== ' ' && /^[\s<]?$/.test(after) && after !== ' ')
  )
}

/** Changes text outside `pre` and `code`. */
function outsideCode(html: string, change: (text: string) => string): string {
  const parts: string[] = []
  let at = 0
  const opening = /<(pre|code)\b/gi
  for (let match = opening.exec(html); match; match = opening.exec(html)) {
    const close = new RegExp(`</${match[1]}\\s*>`, 'gi')
    close.lastIndex = match.index
    const end = close.exec(html) ? close.lastIndex : html.length
    parts.push(change(html.slice(at, match.index)), html.slice(match.index, end))
    at = end
    opening.lastIndex = end
  }
  return parts.join('') + change(html.slice(at))
}
