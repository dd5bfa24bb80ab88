/** Removes Hugo's shortcodes and Liquid's tags, which only their generators can expand. Code stays unchanged. */
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { type HexoPages, hexoCode, hexoQuote, hexoTag } from './hexo-tags.ts'
import { escapeHtml, figure, hostOf } from './markup.ts'
import { type TreeNode, walk } from './tree.ts'

const ANY = /\{[{%#]/
const HUGO = /\{\{([<%])\s*(\/\*)?\s*(\/?)\s*([\w./-]*)([^{}]{0,2000}?)(\*\/)?\s*\/?[>%]\}\}/
const LIQUID = /\{%-?\s*(\w+)([^{}]{0,2000}?)-?%\}/
const OUTPUT = /\{\{-?\s*(?:[\w.]+|"[^"{}]*"|'[^'{}]*')[^{}]{0,200}\}\}/
const COMMENT = /\{#[^{}]{0,2000}?#\}/
const EACH = new RegExp(`${HUGO.source}|${LIQUID.source}|${OUTPUT.source}|${COMMENT.source}`, 'g')
/** Prefixes and filters for addresses in Jekyll and Eleventy. */
const ROOT = /^site\.(?:base)?url$/
const FROM_ROOT =
  /^(["'])(?<path>.*)\1\s*\|\s*(?:(?:relative_|absolute_)?url|prepend:\s*site\.(?:base)?url)\b[\w\s|:.]*$/s
const REFERENCES = new Set(['ref', 'relref', 'post_url', 'link'])
const CODE = new Set(['highlight', 'code', 'codeblock'])
const QUOTES = new Set(['blockquote', 'quote', 'pullquote'])
/** Tags whose content is kept verbatim, or dropped. */
const VERBATIM = new Set(['raw', 'comment'])
const EMPTY = new Set(['raw', 'endraw', 'endhighlight', 'endcomment'])

const ZOLA = /^\{\{-?\s*(\w+)\((.*)\)\s*-?\}\}$/s

const ARGUMENT = /(?:(?<name>[\w-]+)=)?(?:"(?<double>(?:[^"\\]|\\.)*)"|`(?<raw>[^`]*)`|(?<bare>[^\s"`]+))/g
const VIDEOS: Record<string, string> = {
  youtube: 'https://www.youtube.com/watch?v=',
  vimeo: 'https://vimeo.com/',
}

type Loss = { reason: string; detail: string }

const parser = unified().use(remarkParse)

/** Keeps addresses and code. */
export function withoutShortcodes(text: string, pages: HexoPages = {}): { text: string; losses: Loss[] } {
  const losses = new Map<string, Loss>()
  if (!ANY.test(text)) return { text, losses: [] }
  const inCode = codeRanges(text)
  const quotes: string[] = []
  let rewritten = ''
  let at = 0
  for (const match of text.matchAll(EACH)) {
    const { index } = match
    if (index < at || inCode(index)) continue
    const tag = tagOf(match)
    const block = tag && blockOf(text, index + match[0].length, tag)
    rewritten += text.slice(at, index)
    const isInAddress =
      /[("'=<]/.test(text[index - 1] ?? '') || /[/{]/.test(text[index + match[0].length] ?? '')
    const address = tag === null ? addressIn(match[0], isInAddress) : undefined
    const call = tag === null && ZOLA.exec(match[0])
    const video =
      call && shownAs({ name: call[1]!, argument: call[2]!.replaceAll(/,(?=\s*\w+=)/g, ' ') }, losses)
    if (address !== undefined) rewritten += address
    else if (video) rewritten += video
    else if (match[0].startsWith('{#')) {
      losses.set(match[0], { reason: 'a comment is left out', detail: match[0].replace(/\s+/g, ' ') })
    } else if (tag === null) {
      losses.set(match[0], { reason: 'kept as text', detail: match[0] })
      rewritten += match[0]
    } else if (block) rewritten += block.text
    else rewritten += quoteOf(tag, text, quotes) ?? replacement(tag, match[0], losses, pages)
    at = block?.end ?? index + match[0].length
  }
  return { text: rewritten + text.slice(at), losses: [...losses.values()] }
}

export function shortcodesIn(text: string): string[] {
  return text.match(EACH) ?? []
}

const LOOP = /\{%-?\s*for\b[\s\S]*\{%-?\s*endfor\s*-?%\}/g
const MARKUP = /<!--[\s\S]*?-->|<(?!audio|embed|iframe|img|object|svg|video)[^>]*>/gi

/** True if the generator inserts everything that the text shows. */
export function isTemplate(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(LOOP, '').replace(EACH, '').replace(MARKUP, ''))
}

type Tag = {
  name: string
  argument: string
  escaped: boolean
  closing: boolean
  generator: 'hugo' | 'liquid'
}

/** Null for `{{ … }}`, which outputs a value. */
function tagOf(match: RegExpMatchArray): Tag | null {
  const [, hugo, comment, slash, name = '', argument = '', , liquidName, liquidArgument = ''] = match
  if (liquidName !== undefined) {
    const closing = liquidName.startsWith('end')
    return { name: liquidName, argument: liquidArgument.trim(), escaped: false, closing, generator: 'liquid' }
  }
  if (hugo === undefined) return null
  return { name, argument: argument.trim(), escaped: !!comment, closing: !!slash, generator: 'hugo' }
}

/** The path if the tag outputs a URL below the site's root. The root itself counts only within a URL. */
function addressIn(output: string, isInAddress: boolean): string | undefined {
  const value = output.replace(/^\{\{-?\s*|\s*-?\}\}$/g, '')
  return isInAddress && ROOT.test(value) ? '' : FROM_ROOT.exec(value)?.groups?.path
}

function blockOf(text: string, start: number, tag: Tag): { text: string; end: number } | null {
  if (tag.closing || tag.escaped || !(CODE.has(tag.name) || VERBATIM.has(tag.name))) return null
  const close = new RegExp(
    tag.generator === 'hugo'
      ? `\\{\\{[<%]\\s*/\\s*${tag.name}\\s*[>%]\\}\\}`
      : `\\{%-?\\s*end${tag.name}\\s*-?%\\}`,
    'g',
  )
  close.lastIndex = start
  const closing = close.exec(text)
  if (!closing) return null
  const end = close.lastIndex
  if (tag.name === 'comment') return { text: '', end }
  if (tag.name === 'raw') return { text: text.slice(start, closing.index), end }
  const code = text.slice(start, closing.index).replace(/^\s*\n|\s+$/g, '')
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const isHexo = tag.generator === 'liquid' && tag.name !== 'highlight'
  const written = hexoCode(tag.argument)
  const language =
    isHexo && (written.language || tag.name === 'codeblock')
      ? written.language
      : (/^[\w+#-]*/.exec(tag.argument.replace(/^["']/, ''))?.[0] ?? '')
  const caption = isHexo && (written.language || tag.name === 'codeblock') ? written.caption : ''
  return { text: `\n\n${caption && `${caption}\n\n`}${fence}${language}\n${code}\n${fence}\n\n`, end }
}

/** Null if the tag is not a quote. `quotes` holds the ends of open quotes. */
function quoteOf(tag: Tag, text: string, quotes: string[]): string | null {
  const { name, argument, closing, generator } = tag
  const own = name.replace(/^end/, '')
  // Zola's tags have arguments in parentheses.
  if (generator !== 'liquid' || !QUOTES.has(own) || argument.startsWith('(')) return null
  if (closing) return quotes.pop() ?? ''
  if (!new RegExp(`\\{%-?\\s*end${own}\\s*-?%\\}`).test(text)) return null
  const { start, end } = hexoQuote(own === 'pullquote' ? '' : argument)
  quotes.push(end)
  return start
}

function replacement(tag: Tag, written: string, losses: Map<string, Loss>, pages: HexoPages): string {
  if (tag.escaped) return written.replace('<', '\\<').replace(/\/\*|\*\//g, '')
  const hexo = tag.generator === 'liquid' ? hexoTag(tag.name, tag.argument, pages) : null
  if (hexo !== null) return hexo
  if (REFERENCES.has(tag.name)) {
    const path = /^["'`]?([^"'`\s]+)/.exec(tag.argument)?.[1]
    if (path) return tag.name === 'post_url' ? `${path}.md` : path
  }
  if (EMPTY.has(tag.name) || tag.closing) return ''
  const isShown = tag.generator === 'hugo' || tag.name in VIDEOS
  const shown = isShown && shownAs(tag, losses)
  if (shown) return shown
  const name =
    tag.generator === 'hugo' ? `{{${written[2]} ${tag.name} ${written.at(-3)}}}` : `{% ${tag.name} %}`
  losses.set(name, { reason: 'left out, but its text is kept', detail: name })
  return ''
}

/** Converts to the same HTML as WordPress's captions and embeds (https://gohugo.io/content-management/shortcodes/). */
function shownAs(
  { name, argument }: Pick<Tag, 'name' | 'argument'>,
  losses: Map<string, Loss>,
): string | null {
  const values = argumentsOf(argument)
  const source = values.get('src')
  if (name === 'figure' && source) {
    const text = values.get('caption') || values.get('title') || ''
    const alt = values.get('alt') ?? text
    const image = `<img src="${escapeHtml(source)}" alt="${escapeHtml(alt)}">`
    const link = values.get('link')
    const content = link ? `<a href="${escapeHtml(link)}">${image}</a>` : image
    const title = values.get('caption') ? values.get('title') : undefined
    const caption = [title, text].flatMap((each) => (each ? escapeHtml(each) : [])).join('<br>')
    return `\n\n${figure(content, caption)}\n\n`
  }
  const address = VIDEOS[name]
  const id = values.get('id') ?? values.get('0')
  if (!address || !id || !/^[\w-]+$/.test(id)) return null
  const reason = `the embed of ${hostOf(address)} becomes a link`
  losses.set(`${name} ${id}`, { reason, detail: address + id })
  return `\n\n<${address}${id}>\n\n`
}

function argumentsOf(written: string): Map<string, string> {
  const found = new Map<string, string>()
  let place = 0
  for (const { groups } of written.matchAll(ARGUMENT)) {
    const value = groups?.double ?? groups?.raw ?? groups?.bare ?? ''
    found.set(groups?.name ?? String(place++), value.replace(/\\(["\\])/g, '$1'))
  }
  return found
}

export function codeRanges(text: string): (index: number) => boolean {
  const ranges: [number, number][] = []
  walk(parser.parse(text) as TreeNode, ({ type, position }) => {
    if (position && (type === 'code' || type === 'inlineCode')) {
      ranges.push([position.start.offset ?? 0, position.end.offset ?? 0])
    }
  })
  return (index) => ranges.some(([start, end]) => start <= index && index < end)
}
