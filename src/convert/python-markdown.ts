/** Python-Markdown extensions of MkDocs and Pelican: converted to HTML, or left out. */
import { escapeHtml } from './markup.ts'
import { codeRanges } from './shortcodes.ts'

const CRITIC = [
  String.raw`\{>>(?<comment>[^]{0,2000}?)<<\}`,
  String.raw`\{\+\+(?<added>[^]{0,2000}?)\+\+\}`,
  String.raw`\{--(?<removed>[^]{0,2000}?)--\}`,
  String.raw`\{~~[^~]{0,2000}~>(?<by>[^~]{0,2000})~~\}`,
  String.raw`\{==(?<marked>[^]{0,2000}?)==\}`,
]
const ABBREVIATION = String.raw`^\*\[[^\]\n]+\]:.*$`
const SNIPPET = String.raw`^[ \t]{0,40}(?<snippet>-{1,9}8<-{1,9}(?:[ \t]+["'].*["']|[ \t]*\n(?:(?!.*8<).*\n){0,50}[ \t]{0,40}-{1,9}8<-{1,9}))[ \t]*$`
const TOC = String.raw`^[ \t]{0,40}\[TOC\][ \t]*$`
const ICON = String.raw`:(?:fontawesome|material|octicons|simple)-[a-z\d-]+:`
const ATTRIBUTE = String.raw`(?:[.#][A-Za-z_][\w:-]*|[\w-]{2,}=(?:"[^"\n]*"|'[^'\n]*'|[\w%]+))`
/** Strict, since formulas have braces, too. */
const ATTRIBUTES = String.raw`(?<=^|[\s)\]>:*${'`'}])\{:?[ \t]*(?<attributes>${ATTRIBUTE}(?:[ \t]+${ATTRIBUTE})*)[ \t]*\}`
const KEY = String.raw`(?:[a-z\d-]+|"[^"\n]+")`
const KEYS = String.raw`(?<![\w+])\+\+(?<keys>${KEY}(?:\+${KEY})*)\+\+(?![\w+])`

const MARKS: Record<string, RegExp> = {
  mkdocs: new RegExp([...CRITIC, ABBREVIATION, SNIPPET, TOC, ICON, ATTRIBUTES, KEYS].join('|'), 'gm'),
  pelican: new RegExp(TOC, 'gm'),
}
const TERM = String.raw`(?<![^\n]\n)(?<terms>(?:(?![ \t>#<:]|[-*+][ \t]|\d+[.)][ \t]).+\n){1,3})`
const DEFINITION = String.raw`\n? {0,3}:[ \t]+\S.*(?:\n(?:[ \t]*\n)*(?: {4}|\t)(?=.*\S).*)*(?:\n|$)`
const DEFINED = new RegExp(`^${TERM}(?<definitions>(?:${DEFINITION})+)`, 'gm')

type Loss = { reason: string; detail: string }

export function withoutPythonMarkdown(
  written: string,
  generator: string | null | undefined,
): { text: string; losses: Loss[] } {
  const marks = MARKS[generator ?? '']
  if (!marks) return { text: written, losses: [] }
  const losses = new Map<string, Loss>()
  const lose = (detail: string, reason = 'left out') => void losses.set(detail, { reason, detail })
  const text = outsideCode(written, marks, (match) => shownOf(match, lose))
  if (generator === 'pelican') return { text, losses: [...losses.values()] }
  const defined = outsideCode(text, DEFINED, ({ groups = {} }) => definitionList(groups))
  return { text: defined.replace(/<\/dl>\s*<dl>\n/g, ''), losses: [...losses.values()] }
}

/** Snippets in code stay, but are reported. */
function outsideCode(text: string, marks: RegExp, shown: (match: RegExpExecArray) => string): string {
  if (text.search(marks) < 0) return text
  const isCode = codeRanges(text)
  let rewritten = ''
  let at = 0
  marks.lastIndex = 0
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    if (isCode(match.index)) {
      marks.lastIndex = match.index + 1
      continue
    }
    rewritten += text.slice(at, match.index) + shown(match)
    at = match.index + match[0].length
    if (match[0] === '') marks.lastIndex += 1
  }
  return rewritten + text.slice(at)
}

function shownOf(match: RegExpExecArray, lose: (detail: string, reason?: string) => void): string {
  const { added, by, marked, comment, keys, attributes } = match.groups ?? {}
  const written = match[0].trim().replace(/\s+/g, ' ')
  if (keys !== undefined) return keys.match(new RegExp(KEY, 'g'))!.map(keyOf).join('+')
  if (comment !== undefined) lose(written, 'a comment is left out')
  else if (added === undefined && marked === undefined) lose(written)
  if (attributes !== undefined) return idOfHeading(match, attributes)
  return added ?? by ?? marked ?? ''
}

function idOfHeading({ input, index }: RegExpExecArray, attributes: string): string {
  const line = input.slice(input.lastIndexOf('\n', index - 1) + 1, index)
  const id = /(?:^|\s)#([\w:-]+)/.exec(attributes)?.[1]
  return id && /^#{1,6}[ \t]/.test(line) ? `{#${id}}` : ''
}

function keyOf(key: string): string {
  const name = key.startsWith('"') ? key.slice(1, -1) : key.charAt(0).toUpperCase() + key.slice(1)
  return `<kbd>${escapeHtml(name.replaceAll('-', ' '))}</kbd>`
}

function definitionList({ terms = '', definitions = '' }: Record<string, string | undefined>): string {
  const named = terms.trimEnd().split('\n')
  const all = definitions.split(/^ {0,3}:[ \t]+/m).slice(1)
  const contents = all.map((each) => each.replace(/^(?: {4}|\t)/gm, '').trim())
  const parts = [
    ...named.map((term) => `<dt>\n\n${term}\n\n</dt>`),
    ...contents.map((each) => `<dd>\n\n${each}\n\n</dd>`),
  ]
  return `<dl>\n${parts.join('\n')}\n</dl>\n\n`
}
