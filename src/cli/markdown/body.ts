import { convertMarkdown } from '../../convert/convert.ts'
import { cleanHtml } from '../../convert/html.ts'
import { codeRanges, withoutShortcodes } from '../../convert/shortcodes.ts'
import { convertMdx } from './convert-mdx.ts'
import type { Generator } from './generators/generator.ts'

/** Logseq stores a block's id, folding and times below it. */
const BLOCK_PROPERTIES =
  /^[ \t]+(?:collapsed:: (?:true|false)|id:: [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|:LOGBOOK:\n(?:[ \t]*CLOCK:.*\n)*[ \t]*:END:)[ \t]*(?:\n|$)/gm

/** Other properties of a block, for example its colour. */
const OTHER_PROPERTIES = /^[ \t]+(?:- )?[a-z][\w.-]*::[ \t].*(?:\n|$)/gim

export function convertBody(
  written: string,
  file: string,
  { name }: Generator,
  options: Parameters<typeof convertMarkdown>[1],
): ReturnType<typeof convertMarkdown> {
  const properties: { reason: string; detail: string }[] = []
  const own = withoutLines(written, BLOCK_PROPERTIES)
  const body =
    name === 'logseq'
      ? withoutLines(own, OTHER_PROPERTIES, (line) =>
          properties.push({ reason: 'left out', detail: line.trim() }),
        )
      : own
  const converted = convertText(body, file, name, options)
  return { ...converted, losses: [...properties, ...converted.losses] }
}

function convertText(
  body: string,
  file: string,
  name: Generator['name'],
  given: Parameters<typeof convertMarkdown>[1],
): ReturnType<typeof convertMarkdown> {
  const options = { ...given, generator: name }
  if (/\.mdx$/i.test(file)) return convertMdx(body, options)
  if (!/\.html?$/i.test(file)) {
    if (name !== 'docusaurus') return convertMarkdown(body, options)
    // Docusaurus reads all Markdown as MDX.
    try {
      return convertMdx(body, options)
    } catch {
      return convertMarkdown(body, options)
    }
  }
  const plain = withoutShortcodes(body)
  const { html, dropped } = cleanHtml(plain.text)
  const losses = dropped.map((detail) => ({ reason: 'not allowed in a body', detail }))
  return { html, heading: null, losses: [...losses, ...plain.losses] }
}

function withoutLines(text: string, unseen: RegExp, onEach: (lines: string) => void = () => {}): string {
  if (text.search(unseen) < 0) return text
  const isInCode = codeRanges(text)
  return text.replace(unseen, (lines: string, at: number) => {
    if (isInCode(at)) return lines
    onEach(lines)
    return ''
  })
}
