/** Reads HTML tags without building a tree, so that the time is linear, however deep the nesting. */
import { QuoteType } from 'htmlparser2'
import { eachToken } from './tokens.ts'

/** `start` and `end` enclose the value with its quotes; `quote` is null without quotes. */
export type Attribute = { name: string; value: string; start: number; end: number; quote: '"' | "'" | null }

/** A comment is a void tag without a name. */
export type Tag = {
  name: string
  kind: 'open' | 'close' | 'void'
  start: number
  end: number
  attributes: Attribute[]
}

export function eachTag(html: string, take: (tag: Tag) => void): void {
  let tag: Pick<Tag, 'name' | 'start' | 'attributes'> = { name: '', start: 0, attributes: [] }
  let attribute = { name: '', value: '', start: 0 }
  eachToken(html, {
    onopentagname(from, to) {
      tag = { name: html.slice(from, to).toLowerCase(), start: from - 1, attributes: [] }
    },
    onattribname(from, to) {
      attribute = { name: html.slice(from, to).toLowerCase(), value: '', start: valueStart(html, to) }
    },
    onattribdata(from, to) {
      attribute.value += html.slice(from, to)
    },
    onattribentity(codepoint) {
      attribute.value += String.fromCodePoint(codepoint)
    },
    onattribend(kind, end) {
      const quote = kind === QuoteType.NoValue ? null : kind === QuoteType.Single ? "'" : '"'
      tag.attributes.push({ ...attribute, end, quote })
    },
    onopentagend: (last) => take({ ...tag, kind: 'open', end: last + 1 }),
    onselfclosingtag: (last) => take({ ...tag, kind: 'void', end: last + 1 }),
    onclosetag(from, to) {
      const last = html.indexOf('>', to)
      const name = html.slice(from, to).toLowerCase()
      take({ name, kind: 'close', start: from - 2, end: last < 0 ? html.length : last + 1, attributes: [] })
    },
    oncomment: (from, to) =>
      take({ name: '', kind: 'void', start: html.lastIndexOf('<', from - 1), end: to + 1, attributes: [] }),
  })
}

function valueStart(html: string, nameEnd: number): number {
  const equals = /\s*=\s*/y
  equals.lastIndex = nameEnd
  return equals.exec(html) ? equals.lastIndex : nameEnd
}
