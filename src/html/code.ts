/** Code in a body, which runs in the browsers of readers, and tags that load something or lead readers away. */
import { type Attribute, eachTag } from './tags.ts'

/** Other scripts are data, such as JSON-LD. */
const SCRIPT_TYPE =
  /^(?:|module|(?:application|text)\/(?:x-)?(?:java|ecma)script|text\/(?:jscript|livescript|javascript1\.[0-5]))$/i
/** Plug-ins, other pages' input, and the address that all links are relative to. */
const TAGS = new Set(['base', 'embed', 'form', 'object'])
const REFRESH = '<meta http-equiv=refresh>'
const ADDRESSES = new Set(['action', 'data', 'formaction', 'href', 'src', 'xlink:href'])
/** The addresses that an SVG animation sets. */
const ANIMATED = new Set(['by', 'from', 'to', 'values'])
const FRAMES = new Set(['embed', 'frame', 'iframe', 'object'])
const SCHEME = /^(?:javascript|vbscript):/i
const DOCUMENT = /^data:(?!audio\/|video\/|image\/(?!svg)|application\/pdf)/i
/** Browsers read tags where our parser reads text, or the other way round. */
const READ_DIFFERENTLY =
  /<(?:svg|math|noscript|xmp|iframe|noembed|noframes|plaintext|!\[CDATA\[|!--?-?>)|--!>/i
const RAW_CODE = /<(?:script|base|embed|form|object)(?=[\s/>])|(?<=[\s/"'])on[a-z]+(?=\s*=)/gi
/** Without its tag, so that time does not grow with the square of the length. */
const RAW_REFRESH = /\bhttp-equiv\s*=\s*["']?refresh/i
const NAMED: Record<string, string> = { colon: ':', tab: '', newline: '' }

/** Names each kind once: `<script>`, `onclick`, `javascript: in href`. */
export function codeIn(html: string): string[] {
  const found = new Set<string>()
  eachTag(html, ({ name, kind, attributes }) => {
    if (kind === 'close') return
    const textOf = (attribute: string) =>
      attributes.find((each) => each.name === attribute)?.value.trim() ?? ''
    if (name === 'script' && SCRIPT_TYPE.test(textOf('type'))) found.add('<script>')
    if (name === 'meta' && /^refresh$/i.test(textOf('http-equiv'))) found.add(REFRESH)
    if (TAGS.has(name)) found.add(`<${name}>`)
    for (const attribute of attributes) {
      const code = codeOf(name, attribute)
      if (code) found.add(code)
    }
  })
  if (READ_DIFFERENTLY.test(html)) for (const code of rawCodeIn(html, found)) found.add(code)
  return [...found]
}

function codeOf(tag: string, { name, value }: Attribute): string | null {
  if (/^on[a-z]/.test(name)) return name
  if (name === 'srcdoc' && value.trim() !== '') return name
  const isAnimated = ANIMATED.has(name)
  if (!isAnimated && !ADDRESSES.has(name)) return null
  for (const written of isAnimated ? value.split(';') : [value]) {
    // Browsers ignore control characters and spaces before a scheme, and line breaks in it.
    const address = written.replace(/^[\0- ]+|[\t\n\r]/g, '')
    const [scheme] = SCHEME.exec(address) ?? []
    if (scheme) return `${scheme.toLowerCase()} in ${name}`
    if (FRAMES.has(tag) && DOCUMENT.test(address)) return `data: in ${name}`
  }
  return null
}

/** Names more than browsers run, such as code in a comment. */
function rawCodeIn(html: string, found: Set<string>): string[] {
  const text = html.replace(
    /&(?:#(?:x([\da-f]{1,6})|(\d{1,7}))|(colon|tab|newline));?/gi,
    (all, hex, decimal, name) => {
      if (name) return NAMED[name.toLowerCase()] ?? all
      const code = Number.parseInt(hex ?? decimal, hex ? 16 : 10)
      return code > 32 && code < 127 && code !== 60 ? String.fromCharCode(code) : ''
    },
  )
  const schemes = new Set(
    text
      .replace(/[\t\n\r]/g, '')
      .toLowerCase()
      .match(/(?:java|vb)script:/g),
  )
  for (const known of found) schemes.delete(known.replace(/ in .*/, ''))
  const names = (html.match(RAW_CODE) ?? []).map((name) => name.toLowerCase().replace(/^<.*/, '$&>'))
  return [...names, ...(RAW_REFRESH.test(html) ? [REFRESH] : []), ...schemes]
}
