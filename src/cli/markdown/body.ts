import { convertMarkdown } from '../convert/convert.ts'
import { cleanHtml } from '../convert/html.ts'
import { withoutShortcodes } from '../convert/shortcodes.ts'
import type { Generator } from './generators/generator.ts'

/** Converts the body of a file by its extension. */
export function convertBody(
  body: string,
  file: string,
  { name }: Generator,
  options: Parameters<typeof convertMarkdown>[2],
): ReturnType<typeof convertMarkdown> {
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
