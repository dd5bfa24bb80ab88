/** Writes an article as a file: front matter with the API's fields, then the body. */
import { stringify } from 'yaml'
import { convertMarkdown } from '../../convert/convert.ts'
import { looksTheSame, markdownOf } from '../../convert/to-markdown.ts'

type Content = Record<string, unknown>

/** Writes the body as Markdown if an import restores the same (with `exact`: byte for byte), otherwise as HTML. */
export function toFile(
  resource: 'post' | 'guide',
  { contentHtml, ...content }: Content,
  { exact }: { exact: boolean },
) {
  const html = String(contentHtml)
  const markdown = asMarkdown(html, exact)
  const { title, slug, ...others } = content
  const fields = {
    ...{ title, slug },
    ...(resource === 'guide' && { kind: 'guides' }),
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
    bodyFormat: markdown === null ? 'html' : 'markdown',
  }
  const text = `---\n${stringify(fields, { lineWidth: 0 })}---\n${markdown ?? html}`
  return { text, isHtml: markdown === null }
}

function asMarkdown(html: string, exact: boolean): string | null {
  try {
    const markdown = markdownOf(html)
    const again = convertMarkdown(markdown, { hasTitle: true }).html
    return (exact ? again === html : looksTheSame(again, html)) ? markdown : null
  } catch {
    // Too deep, or too much work for one of the two conversions.
    return null
  }
}
