/**
 * Metadata without fences: lines of MultiMarkdown, Pelican and Notion, Nikola's `.. title:`, Org's `#+title:`, Logseq's
 * `title::`, pandoc's `% title` and Pico's comment. Prose has colons, too, so unclear cases are doubts.
 */
import { parse as parseYaml } from 'yaml'
import { readDate } from '../import/values.ts'

export type Mapping = Record<string, unknown>

type Found = { fields: Mapping; body: string } | { doubt: string } | null
type Pair = [name: string, value: unknown]

/** One of these fields is enough to recognise metadata. */
const STRONG = words('title slug date')
/** Fields that prose does not begin with, unless it is about them. */
const MACHINE = words(
  `title slug date author authors category categories tags tag keywords layout template permalink draft lang
  language aliases alias redirect_from publishdate pubdate published_at publishedat lastmod modified created createdtime created_at
  post_id guid filetags`,
)
/** Fields that prose may begin with, for example "Summary: …". */
const PROSE = words(
  `status summary description excerpt subtitle published publish updated url link image cover comments type id
  lasteditedtime lasteditedby affiliation copyright baseheaderlevel quoteslanguage bibtex css`,
)
const ALIASES: Record<string, string> = {
  ...{ created: 'date', createdtime: 'date', created_at: 'date', createdat: 'date', publisheddate: 'date' },
  ...{ lasteditedtime: 'lastmod', filetags: 'tags', 'post-title': 'title' },
}

const FIELD =
  /^["']?((?:\p{Extended_Pictographic}\ufe0f?[ \t]*)?[\p{L}_][\p{L}\p{N}_ .,&/()?!+#%’-]{0,40}?)["']?[ \t]*:(?!:|\/\/)[ \t]*(\S.*)?$/u
const TOML_FIELD = /^([A-Za-z_][\w-]*)[ \t]*=[ \t]*(\S.*)$/
const HEADING = /^(?:#[ \t]+\S.*|\S.*\n=+[ \t]*)\n/
const MARKED = [
  // Nikola
  { line: /^\.\.[ \t]+([\w-]+):(?!:)[ \t]*(.*)$/, isSure: false },
  // Org
  { line: /^#\+(?!begin|end)([\w-]+):[ \t]*(.*)$/i, isSure: true },
  // Logseq
  { line: /^(?:-[ \t]+|[ \t]+)?([\p{L}_][\p{L}\p{N}_/-]*)::(?:[ \t]+(.*))?$/u, isSure: false },
]
const PANDOC = /^%[ \t]/
const PICO = /^\/\*+([\s\S]*?)\*\/[^\S\n]*(?:\n|$)/
const ANY_FIELD = /^[^\w\s*_|>#<-]{0,3}[ \t]*["']?(\w[\w-]*)["']?[ \t]*(?::{1,2}|=)[ \t]*\S/
/** Contains data, or a whole file. */
const CODE_FENCE = /^(?:`{3,}|~{3,})[ \t]*(?:(?:ya?ml|toml|json5?|front-?matter|md|markdown|mdx|te?xt)\b|$)/i
const ANY_CODE_FENCE = /^(?:`{3,}|~{3,})/
const JS_METADATA = /^export const (?:meta|metadata|frontmatter|frontMatter)\b/m
const SHOWN_LENGTH = 80

export function linesOfMetadata(text: string): Found {
  return (
    dayOne(text) ??
    marked(text) ??
    pandoc(text) ??
    pico(text) ??
    plain(text) ??
    belowHeading(text) ??
    unknown(text)
  )
}

/** As in Nikola. Readers don't see comments, so doubtful ones are ignored. */
export function metadataInComments(comments: string[]): Mapping | null {
  if (comments.length === 0) return null
  const text = comments.map((each) => each.trim()).join('\n')
  const found = marked(text) ?? plain(text)
  return found && 'fields' in found && found.body.trim() === '' ? found.fields : null
}

/** `read` if the fields are certainly metadata, `content` if they are prose. */
export function judge(pairs: Pair[]): 'read' | 'doubt' | 'content' {
  const isDated = ([name, value]: Pair) => keyOf(name) !== 'date' || readDate(cleaned(String(value))) !== null
  const known = pairs.filter(([name]) => isKnown(name))
  if (known.length > 1 || known.some((pair) => STRONG.has(aliasOf(pair[0])) && isDated(pair))) return 'read'
  const [only] = known
  return only && (pairs.length > 1 || MACHINE.has(keyOf(only[0]))) ? 'doubt' : 'content'
}

export function looksLikeMetadata(lines: string): boolean {
  return keysIn(lines).some(isKnown)
}

export function keysIn(lines: string): string[] {
  const all = lines.split('\n').map((line) => line.trimEnd())
  return all.flatMap((line) => (FIELD.exec(line) ?? TOML_FIELD.exec(line))?.[1] ?? [])
}

/** Day One's lines above an entry begin with a tab, and have one after the name. */
function dayOne(text: string): Found {
  const lines = /^(?:\t[A-Z][A-Za-z ]*:\t.*(?:\n|$))+/.exec(text)?.[0]
  if (lines === undefined || !/^\tDate:/m.test(lines)) return null
  const pairs = pairsIn(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => line.trim()),
  )
  return pairs && { fields: mappingOf(pairs), body: text.slice(lines.length) }
}

function marked(text: string): Found {
  const [first = ''] = text.split('\n', 1)
  for (const { line, isSure } of MARKED) {
    if (/^\s/.test(first) || !line.test(first.trimEnd())) continue
    const lines = text.split('\n')
    const end = lines.findIndex((each) => !line.test(each.trimEnd()))
    const metadataLines = end < 0 ? lines : lines.slice(0, end)
    const pairs = metadataLines.map((each): Pair => {
      const [, name = '', value = ''] = line.exec(each.trimEnd()) ?? []
      return [name, cleaned(value)]
    })
    if (!isSure && pairs.length === 1 && !isKnown(pairs[0]![0])) return { doubt: shown(text) }
    return { fields: mappingOf(pairs), body: lines.slice(metadataLines.length).join('\n') }
  }
  return null
}

/** https://pandoc.org/MANUAL.html#extension-pandoc_title_block */
function pandoc(text: string): Found {
  if (!PANDOC.test(text)) return null
  const lines = text.split('\n')
  const values: string[] = []
  let at = 0
  for (; at < lines.length; at += 1) {
    const line = lines[at]!.trimEnd()
    if (values.length < 3 && /^%(?:[ \t]|$)/.test(line)) values.push(line.slice(1).trim())
    else if (/^[ \t]+\S/.test(line)) values.push(`${values.pop()}\n${line.trim()}`)
    else break
  }
  if (lines[at]?.trim()) return { doubt: shown(text) }
  const [title = '', authors = '', date = ''] = values
  const fields = {
    title: title.replaceAll('\n', ' '),
    ...(authors && { authors: listOf(authors.replaceAll('\n', ';')) }),
    ...(date && { date }),
  }
  return { fields, body: lines.slice(at).join('\n') }
}

/** https://picocms.org/docs/#text-file-markup */
function pico(text: string): Found {
  const [whole = '', inner = ''] = PICO.exec(text) ?? []
  if (whole === '') return null
  const lines = inner.replace(/^[ \t]*\*[ \t]?/gm, '').trim()
  const found = plain(lines)
  if (found && 'fields' in found && found.body.trim() === '')
    return { fields: found.fields, body: text.slice(whole.length) }
  return looksLikeMetadata(lines) ? { doubt: shown(lines) } : null
}

function plain(text: string): Found {
  const lines: string[] = []
  for (const line of text.split('\n', 200)) {
    if (line.trim() === '') break
    lines.push(line.trimEnd())
  }
  const [first] = keysIn(lines[0] ?? '')
  if (first === undefined) return null
  const pairs = pairsIn(lines)
  if (pairs === null) return MACHINE.has(keyOf(first)) ? { doubt: shown(text) } : null
  const verdict = judge(pairs)
  if (verdict === 'content') return null
  if (verdict === 'doubt') return { doubt: shown(text) }
  return { fields: mappingOf(pairs), body: text.split('\n').slice(lines.length).join('\n') }
}

/** Notion exports properties as lines below the title. */
function belowHeading(text: string): Found {
  const heading = HEADING.exec(text)?.[0]
  if (heading === undefined) return null
  const below = text.slice(heading.length)
  const found = plain(below.replace(/^(?:[^\S\n]*\n)+/, ''))
  return found && 'fields' in found ? { ...found, body: `${heading}\n${found.body}` } : found
}

/** Several known fields near the start, in an unknown notation or in a code block. */
function unknown(text: string): Found {
  const lines = text.split('\n', 20).filter((line) => line.trim())
  if (JS_METADATA.test(lines[0] ?? '')) return { doubt: shown(text) }
  const isData = CODE_FENCE.test(lines[0] ?? '')
  if (/^(?:<|import\b|export\b)/.test(lines[0] ?? '')) return null
  if (!isData && ANY_CODE_FENCE.test(lines[0] ?? '')) return null
  const start = lines.findIndex((line) => ANY_FIELD.test(line))
  if (start < 0 || start > (isData ? 2 : 1)) return null
  const keys = new Set(lines.flatMap((line) => ANY_FIELD.exec(line)?.[1] ?? []).map(aliasOf))
  const machine = [...keys].filter((key) => MACHINE.has(key))
  const isSure = machine.length > 1 && machine.some((key) => STRONG.has(key))
  return isSure ? { doubt: shown(lines[start]!) } : null
}

/** Null if a line neither is nor continues a field. */
function pairsIn(lines: string[]): Pair[] | null {
  const pairs: [name: string, value: string][] = []
  let hasList = false
  for (const line of lines) {
    const [, name, value = ''] = FIELD.exec(line) ?? []
    const last = pairs.at(-1)
    if (name !== undefined) pairs.push([name, value])
    else if (last && /^[ \t]+\S/.test(line) && !/^\s*- /.test(line)) last[1] += ` ${line.trim()}`
    else if (last && /^\s*- /.test(line)) hasList = true
    else return null
  }
  if (!hasList) return pairs.map(([name, value]) => [name, valueIn(value)])
  try {
    return Object.entries(parseYaml(lines.join('\n'), { schema: 'failsafe', logLevel: 'error' }) as Mapping)
  } catch {
    return null
  }
}

/** Quoted texts and bracketed lists are YAML. */
function valueIn(written: string): unknown {
  if (!/^(?:".*"|'.*'|\[[^[].*\])$/.test(written)) return cleaned(written)
  try {
    return parseYaml(written, { schema: 'failsafe', logLevel: 'error' })
  } catch {
    return written
  }
}

/** Plain text of Logseq's `[[links]]`, Org's `<2020-01-02 Thu>` and Notion's `@dates`. */
function cleaned(value: string): string {
  return value
    .trim()
    .replace(/\[\[([^[\]]*)\]\]/g, '$1')
    .replace(/^[<[](\d{4}-\d\d-\d\d)(?:[ \t]+[\p{L}.]+)?((?:[ \t]+\d\d?:\d\d)?)[>\]]$/u, '$1$2')
    .replace(/^@(?=\p{L}+ \d)/u, '')
}

function mappingOf(pairs: Pair[]): Mapping {
  const names = new Set(pairs.map(([name]) => keyOf(name)))
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const key = keyOf(name)
      const alias = ALIASES[key]
      const known = alias && !names.has(alias) ? alias : isKnown(name) ? name.replaceAll(' ', '') : name
      if (typeof value !== 'string') return [known, value]
      if (/^authors?$/i.test(known)) return [known, listOf(value, /s$/i.test(known))]
      if (/^tags$/i.test(known)) return [known, tagsOf(value)]
      return [known, value]
    }),
  )
}

/** Org's `:a:b:`, and words with `#`. */
function tagsOf(value: string): string | string[] {
  if (/^:.+:$/.test(value)) return value.split(':').filter(Boolean)
  return value.replace(/(^|[\s,])#(?=\S)/g, '$1')
}

function listOf(value: string, hasCommas = false): string[] {
  const all = value.split(value.includes(';') || !hasCommas ? ';' : ',')
  return all.flatMap((each) => each.trim() || [])
}

function isKnown(name: string): boolean {
  return MACHINE.has(keyOf(name)) || PROSE.has(keyOf(name))
}

const keyOf = (name: string) => name.toLowerCase().replaceAll(' ', '')

const aliasOf = (name: string) => ALIASES[keyOf(name)] ?? keyOf(name)

function shown(text: string): string {
  const [first = ''] = text.split('\n', 1)
  return first.trim().slice(0, SHOWN_LENGTH)
}

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/))
}
