import { convertMarkdown } from '../convert/convert.ts'
import { cleanHtml } from '../convert/html.ts'
import { codeRanges, withoutShortcodes } from '../convert/shortcodes.ts'
import type { Generator } from './generators/generator.ts'

/** Logseq notes the id, the folding and the times of a block below it. */
const BLOCK_PROPERTIES =
  /^[ \t]+(?:collapsed:: (?:true|false)|id:: [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|:LOGBOOK:\n(?:[ \t]*CLOCK:.*\n)*[ \t]*:END:)[ \t]*(?:\n|$)/gm

/** Converts the body of a file by its extension. */
export function convertBody(
  written: string,
  file: string,
  { name }: Generator,
  given: Parameters<typeof convertMarkdown>[2],
): ReturnType<typeof convertMarkdown> {
  const body = withoutBlockProperties(written)
  const options = { ...given, generator: name }
  if (/\.mdx$/i.test(file)) return convertMarkdown(body, 'mdx', options)
  if (!/\.html?$/i.test(file)) {
    if (name !== 'docusaurus') return convertMarkdown(body, 'md', options)
    // Docusaurus reads all Markdown as MDX.
    try {
      return convertMarkdown(body, 'mdx', options)
    } catch {
      return convertMarkdown(body, 'md', options)
    }
  }
  const plain = withoutShortcodes(body)
  const { html, dropped } = cleanHtml(plain.text)
  const losses = dropped.map((detail) => ({ reason: 'no part of a body', detail }))
  return { html, heading: null, losses: [...losses, ...plain.losses] }
}

function withoutBlockProperties(text: string): string {
  if (text.search(BLOCK_PROPERTIES) < 0) return text
  const isInCode = codeRanges(text)
  return text.replace(BLOCK_PROPERTIES, (lines, at: number) => (isInCode(at) ? lines : ''))
}
