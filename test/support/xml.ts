/** Checks that a text is well-formed XML, supporting only the parts in sitemaps. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 forbids
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
const NO_REFERENCE = /&(?!(?:amp|lt|gt|quot|apos);)/
const TAG = /<(\/?)([\w:]+)(?: [\w:]+="[^"<]*")*(\/?)>/g

/** The faults of the text, a phrase each. */
export function xmlFaults(text: string): string[] {
  const prolog = '<?xml version="1.0" encoding="UTF-8"?>\n'
  if (!text.startsWith(prolog)) return ['begins without its prolog']
  const body = text.slice(prolog.length)
  const open: string[] = []
  const rest = body.replace(TAG, (_, end: string, name: string, empty: string) => {
    if (empty === '' && end === '') open.push(name)
    else if (empty === '' && open.pop() !== name) open.push(`unmatched ${name}`)
    return ''
  })
  return [
    ...(FORBIDDEN.test(body) || !body.isWellFormed() ? ['has a character that XML forbids'] : []),
    ...(NO_REFERENCE.test(body) ? ['has an & that begins no reference'] : []),
    ...(/[<>]/.test(rest) ? ['has a < or > of no tag'] : []),
    ...(open.length > 0 ? [`leaves ${open.slice(0, 3)} open`] : []),
  ]
}
