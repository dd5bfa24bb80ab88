/** Writes HTML. */

type Attributes = Record<string, unknown>

/** An element; `inner` is HTML. Attributes that are null, empty or 0 are left out. */
export function element(name: string, attributes: Attributes, inner = ''): string {
  return `<${name}${attributesText(attributes)}>${inner}</${name}>`
}

/** An element that holds nothing. */
export function voidElement(name: string, attributes: Attributes = {}): string {
  return `<${name}${attributesText(attributes)}>`
}

/** Text as HTML; of what is no text, nothing. */
export function escaped(text: unknown): string {
  return textOf(text).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
}

/** A text or a number as text; of anything else, nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function attributesText(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value === true || (value !== 0 && textOf(value) !== ''))
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escaped(value)}"`))
    .join('')
}
