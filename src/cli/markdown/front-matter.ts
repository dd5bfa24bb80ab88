/** The front matter of a post: YAML, TOML or JSON in, a mapping out, and the body behind it. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

type Format = 'yaml' | 'toml' | 'json'
type Source = { format: Format; text: string }
export type Mapping = Record<string, unknown>

const FENCE = /^(---|\+\+\+)[ \t]*(yaml|yml|toml|json)?[ \t]*(?:\r?\n|$)/i
const FIELD = /^[A-Za-z_][\w-]*[ \t]*:(?:[ \t]|\r?\n|$)/
const JSON_START = /^\{\s*"[^"\n]*"\s*:/

/**
 * Splits a text behind the line that ends its front matter; `source` is null without one.
 * Throws an Error with a one-line reason when it is not closed.
 */
export function splitFrontMatter(text: string): { source: Source | null; body: string } {
  if (JSON_START.test(text)) {
    const end = endOfObject(text)
    return {
      source: { format: 'json', text: text.slice(0, end) },
      body: text.slice(end).replace(/^[ \t]*\r?\n/, ''),
    }
  }
  const fence = FENCE.exec(text)
  if (!fence) return { source: null, body: text }
  const [opening, mark = '', name = ''] = fence
  const rest = text.slice(opening.length)
  const closing = (mark === '---' ? /^---[ \t]*(?:\r?\n|$)/m : /^\+\+\+[ \t]*(?:\r?\n|$)/m).exec(rest)
  if (closing) {
    const source = { format: formatOf(mark, name), text: rest.slice(0, closing.index) }
    return { source, body: rest.slice(closing.index + closing[0].length) }
  }
  // A lone `---` may be a thematic break, but not with a field below it.
  if (mark === '+++' || name !== '' || FIELD.test(rest)) throw new Error('front matter is not closed')
  return { source: null, body: text }
}

/**
 * Reads front matter. Numbers of YAML stay text as written, unless `exact`: a title or tag `1.10` is not 1.1.
 * Throws an Error with a one-line reason when it does not parse.
 */
export function parseFrontMatter(source: Source | null, options = { exact: false }): Mapping {
  if (source === null || source.text.trim() === '') return {}
  const data = readers[source.format](source.text, options.exact)
  if (data === null) return {}
  if (typeof data !== 'object' || Array.isArray(data))
    throw new Error('front matter is not a mapping of fields')
  return data as Mapping
}

function formatOf(mark: string, name: string): Format {
  const written = name.toLowerCase().replace('yml', 'yaml')
  if (written) return written as Format
  return mark === '---' ? 'yaml' : 'toml'
}

const readers: Record<Format, (text: string, exact: boolean) => unknown> = {
  yaml(text, exact) {
    try {
      return parseYaml(text, {
        logLevel: 'error',
        customTags: (tags) =>
          exact ? tags : tags.filter((tag) => typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag)),
      })
    } catch (error) {
      throw new Error(`front matter is not valid YAML: ${firstLine(error)}`)
    }
  },
  toml(text) {
    try {
      return parseToml(text)
    } catch (error) {
      throw new Error(`front matter is not valid TOML: ${firstLine(error)}`)
    }
  },
  json(text) {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new Error(`front matter is not valid JSON: ${firstLine(error)}`)
    }
  },
}

/** The position behind the object that a text begins with. */
function endOfObject(text: string): number {
  let depth = 0
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (match[0] === '{') depth += 1
    if (match[0] === '}') depth -= 1
    if (depth === 0) return match.index + 1
  }
  throw new Error('front matter is not closed')
}

function firstLine(error: unknown): string {
  const { message } = error as Error
  // The YAML parser reports an exhausted stack as an error of syntax.
  if (error instanceof RangeError || /^Maximum call stack/.test(message)) return 'nested too deeply'
  return (String(message).split('\n')[0] ?? '').replace(/:$/, '')
}
