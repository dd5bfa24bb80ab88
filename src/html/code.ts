/** Code in a body, which runs in the browsers of readers. */
import { type Attribute, eachTag } from './tags.ts'

/** Other scripts are data, such as JSON-LD. */
const SCRIPT_TYPE = /^(?:|module|(?:application|text)\/(?:x-)?(?:java|ecma)script)$/i
const ADDRESSES = new Set(['action', 'data', 'formaction', 'href', 'src', 'xlink:href'])
const SCHEME = /^(?:javascript|vbscript):/i

/** Names each kind once: `<script>`, `onclick`, `javascript: in href`. */
export function codeIn(html: string): string[] {
  const found = new Set<string>()
  eachTag(html, ({ name, kind, attributes }) => {
    if (kind === 'close') return
    const type = attributes.find((each) => each.name === 'type')?.value ?? ''
    if (name === 'script' && SCRIPT_TYPE.test(type.trim())) found.add('<script>')
    for (const attribute of attributes) {
      const code = codeOf(attribute)
      if (code) found.add(code)
    }
  })
  return [...found]
}

function codeOf({ name, value }: Attribute): string | null {
  if (/^on[a-z]/.test(name)) return name
  if (name === 'srcdoc' && codeIn(value).length > 0) return name
  // Browsers ignore control characters and spaces before a scheme, and line breaks in it.
  const address = value.replace(/^[\0- ]+|[\t\n\r]/g, '')
  const [scheme] = (ADDRESSES.has(name) && SCHEME.exec(address)) || []
  return scheme ? `${scheme.toLowerCase()} in ${name}` : null
}
