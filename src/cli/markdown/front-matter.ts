/** Splits a file into metadata and body, in the formats of many generators. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { htmlToText } from '../../html/text.ts'
import {
  judge,
  keysIn,
  linesOfMetadata,
  looksLikeMetadata,
  type Mapping,
  metadataInComments,
} from './metadata-lines.ts'

type Format = 'yaml' | 'toml' | 'json'
/** `linesBefore` is the number of the file's lines above the text. */
type Source = { format: Format; text: string; linesBefore?: number } | { fields: Mapping }

type Split = {
  source: Source | null
  body: string
  /** A line that looks like metadata but is not read. It stays in the body. */
  doubt?: string
}

const COMMENT = /[^\S\n]*(?:<!--(?<html>[\s\S]*?)-->|\{\/\*[\s\S]*?\*\/\})[^\S\n]*\n?/y
const BLANK = /[^\S\n]*\n/y
const OPENING = /^([^\S\n]*)(-{3,}|\+{3,}|;{3,})[^\S\n]*(yaml|yml|toml|json)?[^\S\n]*(?:\n|$)/i
const CLOSING: Record<string, string> = { '-': '(?:-{3,}|\\.{3})', '+': '\\+{3,}', ';': ';{3,}' }
const ANY_CLOSING = /^(-{3,}|\.{3}|\+{3,}|;{3,})[^\S\n]*(?:\n|$)/m
const JSON_START = /^\s*\{\s*(?:["'][^"'\n]*["']|title|date|slug|layout)\s*:/
/** Search limit for the closing fence of metadata without an opening one. */
const MAX_UNOPENED_LENGTH = 20_000

/** `source` is null without metadata. @throws Error with a one-line reason when the metadata is not closed */
export function splitFrontMatter(text: string): Split {
  const { end, comments } = preambleOf(text)
  const rest = text.slice(end)
  const fields = metadataInComments(comments)
  const split =
    fenced(rest) ?? object(rest) ?? (fields && { source: { fields }, body: rest }) ?? unfenced(rest)
  if (split?.source) {
    const linesBefore = text.slice(0, end).split('\n').length - 1 + (OPENING.test(rest) ? 1 : 0)
    return { ...split, source: { ...split.source, linesBefore } }
  }
  return { source: null, body: text, ...(split?.doubt && { doubt: split.doubt }) }
}

/** Pelican's metadata in HTML (https://docs.getpelican.com/en/latest/content.html); null for other HTML. */
export function splitHead(html: string): Split | null {
  if (!/^\s*(?:<!doctype[^>]*>\s*)?<html\b/i.test(html)) return null
  const [start, end, opening] = [/<head\b[^<>]*>/i, /<\/head>/i, /<body\b[^<>]*>/i].map((tag) =>
    tag.exec(html),
  )
  if (!start || !end || !opening || end.index < start.index || opening.index < end.index) return null
  const head = html.slice(start.index, end.index)
  const body = html.slice(opening.index + opening[0].length).replace(/<\/body>\s*(?:<\/html>\s*)?$/i, '')
  const metas = [...head.matchAll(/<meta\s([^<>]*)>/gi)].flatMap(
    ([, attributes = '']): [string, string][] => {
      const attribute = (name: string) =>
        new RegExp(`\\b${name}\\s*=\\s*(["'])(.*?)\\1`, 'is').exec(attributes)?.[2] ?? ''
      const name = attribute('name').toLowerCase()
      return looksLikeMetadata(`${name}:`) ? [[name, htmlToText(attribute('content')).text]] : []
    },
  )
  if (metas.length === 0) return null
  const title = htmlToText(/<title\b[^<>]*>([^<]*)/i.exec(head)?.[1] ?? '').text
  return { source: { fields: { ...(title && { title }), ...Object.fromEntries(metas) } }, body }
}

/** Without `exact`, numbers stay text: a title or tag `1.10` is not 1.1. @throws Error with a one-line reason */
export function parseFrontMatter(source: Source | null, options = { exact: false }): Mapping {
  if (source === null) return {}
  if ('fields' in source) return source.fields
  if (source.text.trim() === '') return {}
  const data = read(source, options.exact)
  if (data === null) return {}
  if (!isObject(data)) throw new Error('front matter is not a mapping of fields')
  return data
}

/** Skips byte order marks, blank lines and comments before a fence. */
function preambleOf(text: string): { end: number; comments: string[] } {
  const comments: string[] = []
  let end = 0
  for (;;) {
    COMMENT.lastIndex = BLANK.lastIndex = end
    const match = BLANK.exec(text) ?? COMMENT.exec(text)
    if (!match) return { end, comments }
    if (match.groups?.html) comments.push(match.groups.html)
    end += match[0].length
  }
}

function fenced(text: string): Split | null {
  const opening = OPENING.exec(text)
  if (!opening) return null
  const [whole, indent = '', mark = '', name = ''] = opening
  const kind = mark.charAt(0)
  const rest = text.slice(whole.length)
  const closing = new RegExp(`^${indent && '[ \\t]*'}${CLOSING[kind]}[^\\S\\n]*(?:\\n|$)`, 'm').exec(rest)
  const block = withoutIndent(closing ? rest.slice(0, closing.index) : rest, indent)
  if (closing) {
    if (name === '' && kind === '-' && !isFrontMatter(block)) return null
    return { source: sourceOf(kind, name, block), body: rest.slice(closing.index + closing[0].length) }
  }
  // A lone `---` may be a thematic break.
  const [lines = ''] = block.trimStart().split(/\n\s*\n/, 1)
  const isDirect = /^\S/.test(block) && keysIn(lines).length > 1
  if (name || kind !== '-' || isDirect || looksLikeMetadata(firstField(lines) ?? ''))
    throw new Error('front matter is not closed')
  return null
}

/** Otherwise it is prose between two thematic breaks. */
function isFrontMatter(block: string): boolean {
  if (block.trim() === '') return true
  const first = firstField(block)
  // Comments in YAML may be headings in Markdown.
  if (first === undefined) return looksLikeMetadata(block.replace(/^#+[ \t]*/gm, ''))
  if (looksLikeMetadata(first)) return true
  const isDirect = /^\S/.test(block)
  try {
    const data: unknown = parseYaml(block, { logLevel: 'error' })
    if (isObject(data)) return isDirect || Object.keys(data).every((key) => /^[a-z_][\w-]*$/.test(key))
  } catch {}
  const keys = keysIn(block)
  return (
    keys.some((key) => looksLikeMetadata(`${key}:`)) || (isDirect && keys.length > 1) || /^- /.test(block)
  )
}

/** Skips empty lines, and comments of YAML and TOML. */
const firstField = (block: string) => block.split('\n').find((line) => /^\s*[^\s#]/.test(line))

function object(text: string): Split | null {
  if (!JSON_START.test(text)) return null
  const end = endOfObject(text)
  return {
    source: { format: 'json', text: text.slice(0, end) },
    body: text.slice(end).replace(/^[^\S\n]*\n/, ''),
  }
}

function unfenced(text: string): Split | null {
  const found = unopened(text) ?? linesOfMetadata(text)
  if (!found || 'doubt' in found) return found && { source: null, body: text, ...found }
  const { fields, body } = found
  // More metadata in the body shows that the first part was misread.
  const next = linesOfMetadata(body.trimStart())
  if (next) return { source: null, body: text, doubt: text.split('\n')[0] ?? '' }
  return { source: { fields }, body }
}

/** Hexo accepts metadata without the opening fence. */
function unopened(text: string): { fields: Mapping; body: string } | { doubt: string } | null {
  const [first = ''] = text.split('\n', 1)
  if (keysIn(first).length === 0) return null
  const closing = ANY_CLOSING.exec(text.slice(0, MAX_UNOPENED_LENGTH))
  if (!closing) return null
  const source = sourceOf(closing[1]?.charAt(0).replace('.', '-') ?? '', '', text.slice(0, closing.index))
  let fields: Mapping
  try {
    fields = parseFrontMatter(source)
  } catch {
    return null
  }
  const verdict = judge(Object.entries(fields))
  if (verdict === 'content') return null
  if (verdict === 'doubt') return { doubt: first }
  return { fields, body: text.slice(closing.index + closing[0].length) }
}

function sourceOf(mark: string, name: string, text: string): { format: Format; text: string } {
  const formatName = name.toLowerCase().replace('yml', 'yaml')
  if (formatName) return { format: formatName as Format, text }
  if (mark === '+' || /^[\w-]+[ \t]*=/.test(firstField(text) ?? '')) return { format: 'toml', text }
  // Hexo's JSON has no braces.
  if (mark === ';' && /^\s*"/.test(text)) return { format: 'json', text: `{${text}}` }
  if (mark === ';' && /^\s*\{/.test(text)) return { format: 'json', text }
  return { format: 'yaml', text }
}

const readers: Record<Format, (text: string, exact: boolean) => unknown> = {
  yaml(written, exact) {
    // Hexo allows tabs for indentation; YAML doesn't.
    const text = written.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length))
    return parseYaml(text, {
      logLevel: 'error',
      customTags: (tags) =>
        exact ? tags : tags.filter((tag) => typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag)),
    })
  },
  toml: (text) => parseToml(text),
  json: (text) => JSON.parse(text),
}

/** For mistakes that a line alone does not show. */
const YAML_MISTAKES: Record<string, string> = {
  BAD_SCALAR_START: ': a text that starts with a special character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: ': a text with a colon needs quotes',
  DUPLICATE_KEY: ': a field is there twice',
  MISSING_CHAR: ': a quote, bracket or comma is missing',
}

/** Names the file's line, because people do not know the terms of the parsers. */
function read({ format, text, linesBefore = 0 }: Exclude<Source, { fields: Mapping }>, exact: boolean) {
  try {
    return readers[format](text, exact)
  } catch (error) {
    const {
      code = '',
      line,
      linePos,
    } = error as { code?: string; line?: number; linePos?: [{ line: number }] }
    const place = linePos?.[0].line ?? line
    const words = `front matter is not valid ${format.toUpperCase()}`
    if (place === undefined || isTooDeep(error)) throw new Error(`${words}: ${firstLine(error)}`)
    throw new Error(`line ${linesBefore + place}: the ${words}${YAML_MISTAKES[code] ?? ''}`)
  }
}

/** The position after a JSON object at the start. */
function endOfObject(text: string): number {
  let depth = 0
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (match[0] === '{') depth += 1
    if (match[0] === '}') depth -= 1
    if (depth === 0) return match.index + 1
  }
  throw new Error('front matter is not closed')
}

function withoutIndent(block: string, indent: string): string {
  if (indent === '') return block
  return block
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
}

function isObject(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function firstLine(error: unknown): string {
  if (isTooDeep(error)) return 'nested too deeply'
  return String((error as Error).message).split('\n', 1)[0]!
}

/** The YAML parser reports an exhausted stack as a syntax error. */
const isTooDeep = (error: unknown) =>
  error instanceof RangeError || /^Maximum call stack/.test((error as Error).message)
