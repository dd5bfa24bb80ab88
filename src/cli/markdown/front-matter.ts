/** The front matter of a post: YAML or TOML in, a mapping with lower-case keys out. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

export type FrontMatter = Map<string, unknown>

/** Reads the text between the fences. Throws an Error with a one-line reason when it does not parse. */
export function parseFrontMatter(source: { format: 'yaml' | 'toml'; text: string } | null): FrontMatter {
  if (source === null || source.text.trim() === '') return new Map()
  const data = source.format === 'toml' ? readToml(source.text) : readYaml(source.text)
  if (data === null) return new Map()
  if (typeof data !== 'object' || Array.isArray(data))
    throw new Error('front matter is not a mapping of fields')
  return new Map(Object.entries(data).map(([key, value]) => [key.toLowerCase(), value]))
}

/** Whether a text starts front matter and never ends it. */
export function isUnclosed(text: string): boolean {
  const fence = /^(---|\+\+\+)[ \t]*(?:\r?\n|$)/.exec(text)
  if (!fence) return false
  // A lone `---` may be a thematic break, but not with a field below it.
  return fence[1] === '+++' || /^[A-Za-z_][\w-]*[ \t]*:(?:[ \t]|\r?\n|$)/.test(text.slice(fence[0].length))
}

function readYaml(text: string): unknown {
  try {
    // Numbers stay text as written: a title or tag `1.10` is not 1.1.
    return parseYaml(text, {
      logLevel: 'error',
      customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag)),
    })
  } catch (error) {
    throw new Error(`front matter is not valid YAML: ${firstLine(error)}`)
  }
}

function readToml(text: string): unknown {
  try {
    return parseToml(text)
  } catch (error) {
    throw new Error(`front matter is not valid TOML: ${firstLine(error)}`)
  }
}

function firstLine(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deeply'
  return (String((error as Error).message).split('\n')[0] ?? '').replace(/:$/, '')
}
