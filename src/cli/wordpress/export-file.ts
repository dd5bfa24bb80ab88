/** Streams the parts of a WordPress export (WXR, an extension of RSS). */
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import { Failure } from '../../transfer/failure.ts'
import { readXml } from './xml.ts'

/** Fields that identify an item. Only these are kept of one that is too large. */
const NAMES = new Set(['title', 'wp:post_id', 'wp:post_name', 'wp:post_type', 'wp:status'])
const MAX_NAME_LENGTH = 10_000

const OLD_SLUG = '_wp_old_slug'

type Term = { taxonomy: string; slug: string; name: string }

export type Item = {
  number: number
  /** Text by element name, for example `title` or `wp:post_id`. */
  fields: Record<string, string>
  terms: Term[]
  meta: Map<string, string>
  /** A custom field that may occur several times. */
  oldSlugs: string[]
  comments: number
  /** Larger than 8 MiB without comments. Then only the fields that name it are present. */
  isTooLarge: boolean
}

export type Part =
  | { item: Item }
  /** An element of the channel, for example `link`, with its children, for example `wp:author_login`. */
  | { channel: string; fields: Record<string, string> }

export type Ending = {
  isExport: boolean
  /** True if it declares entities or a document type, which are ignored. */
  declares: boolean
  cutOff: { bytes: number; within: string | null } | null
}

/** Streams the parts, and returns the ending. Opens the file at each call. */
export async function* readExport(path: string, shownPath: string): AsyncGenerator<Part, Ending> {
  const parts: Part[] = []
  const reader = partsReader((part) => parts.push(part))
  let bytes = 0
  try {
    for await (bytes of readXml(path, reader.handler)) yield* parts.splice(0)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const reason =
      code === 'ENOENT' ? 'the file does not exist' : code === 'EISDIR' ? 'it is a folder' : message
    throw new Failure(`Cannot read ${shownPath}: ${reason}`)
  }
  return reader.ending(bytes)
}

/** Skips the contents of `wp:comment`, which belong to readers. */
function partsReader(give: (part: Part) => void) {
  const open: string[] = []
  const seen = { root: '', isExport: false, declares: false, isClosed: false }
  let number = 0
  let item: Item | null = null
  let itemBytes = 0
  let texts: string[] = []
  let attributes: Record<string, string> = {}
  let channelFields: Record<string, string> = {}
  let metaKey = ''

  const isIn = (name: string, depth: number) => open[depth] === name
  const isIgnored = () => isIn('wp:comment', 3)

  function startItem(): void {
    item = {
      number: ++number,
      fields: {},
      terms: [],
      meta: new Map(),
      oldSlugs: [],
      comments: 0,
      isTooLarge: false,
    }
    itemBytes = 0
  }

  function addText(text: string | null): void {
    if (open.length < 3 || isIgnored()) return
    if (!item) {
      if (text !== null && text.length <= MAX_BODY_BYTES) texts.push(text)
      return
    }
    if (text !== null) itemBytes += Buffer.byteLength(text)
    if (text === null || itemBytes > MAX_BODY_BYTES) item.isTooLarge = true
    // Fields that name the item may follow.
    if (item.isTooLarge && ((text?.length ?? 0) > MAX_NAME_LENGTH || !NAMES.has(open[3] ?? ''))) texts = []
    else if (text !== null) texts.push(text)
  }

  function endOfField(name: string, text: string): void {
    if (item) {
      if (isIgnored() || (item.isTooLarge && !NAMES.has(name))) return
      if (open.length === 4) {
        if (name === 'category') {
          item.terms.push({
            taxonomy: attributes.domain === 'tag' ? 'post_tag' : (attributes.domain ?? 'category'),
            slug: attributes.nicename ?? '',
            name: text,
          })
        } else if (name !== 'wp:postmeta') item.fields[name] ??= text
      } else if (name === 'wp:meta_key') metaKey = text
      else if (name === 'wp:meta_value') {
        if (metaKey === OLD_SLUG) item.oldSlugs.push(text)
        else item.meta.set(metaKey, text)
      }
    } else if (open.length === 3) {
      give({ channel: name, fields: { ...channelFields, [name]: channelFields[name] ?? text } })
      channelFields = {}
    } else if (open.length === 4) channelFields[name] = text
  }

  function close(name: string): void {
    const depth = open.lastIndexOf(name)
    if (depth < 0) return
    const text = texts.join('').replaceAll('\r\n', '\n')
    texts = []
    open.length = depth + 1
    if (depth === 2 && name === 'item' && item) {
      if (item.isTooLarge)
        item = { ...item, fields: namesOf(item.fields), terms: [], meta: new Map(), oldSlugs: [] }
      give({ item })
      item = null
    } else if (depth > 1) endOfField(name, text)
    open.length = depth
    if (depth === 0) seen.isClosed = true
  }

  return {
    handler: {
      open(name: string, given: Record<string, string>) {
        if (open.length === 0 && !seen.root) seen.root = name
        if (name === 'wp:wxr_version' || name === 'wp:post_type') seen.isExport = true
        open.push(name)
        if (open.length === 3 && name === 'item') startItem()
        if (item && open.length === 4 && name === 'wp:comment') item.comments += 1
        texts = []
        attributes = given
      },
      text: addText,
      close,
      declaration() {
        seen.declares = true
      },
    },
    ending(bytes: number): Ending {
      const { root, isExport, declares, isClosed } = seen
      const cutOff = isClosed ? null : { bytes, within: item && itemName(item) }
      return { isExport: root === 'rss' && isExport, declares, cutOff }
    },
  }
}

/** 0 without a valid one. */
export function idOf({ fields }: Pick<Item, 'fields'>): number {
  const id = Number(fields['wp:post_id'])
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** For example `item 12 (Hello)`. */
export function itemName({ number, fields }: Pick<Item, 'number' | 'fields'>): string {
  const title = (fields.title ?? '')
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const known = title || fields['wp:post_name'] || ''
  const short = [...known].slice(0, 60).join('')
  return short ? `item ${number} (${short}${short === known ? '' : '…'})` : `item ${number}`
}

function namesOf(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => NAMES.has(name)))
}
