/** Content as Markdown. The form then has the Markdown and the HTML that it was made from, which stays if nobody edits the Markdown. */
import { AppError } from '../../../../src/core/errors.ts'
import { toLines, type Values } from '../../forms/three-way-merge.ts'

export const MARKDOWN = 'contentMarkdown'

/** Bounds time and memory: the parser's data may be 300 times the size of the text. */
const MAX_LENGTH = 200_000

/** They are a quarter of the Worker, so they load when needed. */
async function loadConverters() {
  const [{ convertMarkdown }, { markdownOf }, { lostInMarkdown }] = await Promise.all([
    import('../../../../src/convert/convert.ts'),
    import('../../../../src/convert/to-markdown.ts'),
    import('../../../../src/convert/losses.ts'),
  ])
  return { convertMarkdown, markdownOf, lostInMarkdown }
}

/** `lost` names what Markdown cannot keep, or what the HTML of a body must not have. */
type Converted = { values: Values; lost: string[] }

/** @throws AppError invalid_body if the content cannot be converted */
export async function withMarkdown({ [MARKDOWN]: typed, ...values }: Values): Promise<Converted> {
  const { markdownOf, lostInMarkdown } = await loadConverters()
  const html = values.contentHtml ?? ''
  return convert(html, () => {
    const markdown = markdownOf(html)
    return { values: { ...values, [MARKDOWN]: typed ?? markdown }, lost: lostInMarkdown(html, markdown) }
  })
}

/** @throws AppError invalid_body if the content cannot be converted */
export async function withHtml({ [MARKDOWN]: typed, ...values }: Values): Promise<Converted> {
  if (typed === undefined) return { values, lost: [] }
  const { convertMarkdown, markdownOf } = await loadConverters()
  const markdown = toLines(typed)
  return convert(markdown, () => {
    if (toLines(markdownOf(values.contentHtml ?? '')) === markdown) return { values, lost: [] }
    const { html, losses } = convertMarkdown(markdown, { hasTitle: true })
    const lost = new Set(losses.map(({ detail }) => detail))
    return { values: { ...values, contentHtml: html }, lost: [...lost] }
  })
}

function convert(text: string, conversion: () => Converted): Converted {
  const refuse = (reason: string) =>
    new AppError('invalid_body', { path: 'contentHtml', message: `cannot be converted: ${reason}` })
  if (text.length > MAX_LENGTH) throw refuse(`more than ${MAX_LENGTH.toLocaleString('en')} characters`)
  try {
    return conversion()
  } catch (error) {
    throw refuse((error as Error).message)
  }
}
