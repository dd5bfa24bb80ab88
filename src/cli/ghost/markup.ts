type Attributes = Record<string, unknown>

/** `inner` is HTML. Attributes that are null, empty or 0 are left out. */
export function element(name: string, attributes: Attributes, inner = ''): string {
  return `<${name}${attributesText(attributes)}>${inner}</${name}>`
}

export function voidElement(name: string, attributes: Attributes = {}): string {
  return `<${name}${attributesText(attributes)}>`
}

/** Empty unless `text` is a text or a number. */
export function escaped(text: unknown): string {
  return textOf(text).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
}

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
