/** Content as Markdown. The form then has the Markdown and the HTML that it was made from, which stays if nobody edits the Markdown. */
import { AppError } from '../../../../src/core/errors.ts'
import { codeIn } from '../../../../src/html/code.ts'
import type { Values } from '../../forms/form.ts'
import { blockTexts, mergeTexts } from '../../forms/text-merge.ts'
import { type Conflict, toLines } from '../../forms/three-way-merge.ts'

export const MARKDOWN = 'contentMarkdown'

/** HTML is about twice as long as its Markdown, which has limits of its own. */
const MAX_HTML_LENGTH = 200_000

/** Shown as text. */
const CODE = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))|(`+)[\s\S]*?\2/gm

/** They are a quarter of the Worker, so they load when needed. */
async function loadConverters() {
  const [{ convertMarkdown }, { checkSize }, { markdownOf }, { lostInMarkdown }] = await Promise.all([
    import('../../../../src/convert/convert.ts'),
    import('../../../../src/convert/limits.ts'),
    import('../../../../src/convert/to-markdown.ts'),
    import('../../../../src/convert/losses.ts'),
  ])
  const toMarkdown = (html: string) => {
    if (html.length > MAX_HTML_LENGTH)
      throw new Error(`its HTML has more than ${MAX_HTML_LENGTH.toLocaleString('en')} characters`)
    const markdown = markdownOf(html)
    checkSize(markdown)
    return markdown
  }
  return { convertMarkdown, checkSize, toMarkdown, lostInMarkdown }
}

/** `lost` names what Markdown cannot keep, or what the HTML of a body must not have. */
type Converted = { values: Values; lost: string[] }

/** @throws AppError invalid_body if the content cannot be converted */
export async function withMarkdown({ [MARKDOWN]: typed, ...values }: Values): Promise<Converted> {
  const { toMarkdown, lostInMarkdown } = await loadConverters()
  const html = values.contentHtml ?? ''
  return convert(() => {
    const markdown = toMarkdown(html)
    return { values: { ...values, [MARKDOWN]: typed ?? markdown }, lost: lostInMarkdown(html, markdown) }
  })
}

/** @throws AppError invalid_body if the content cannot be converted */
export async function withHtml({ [MARKDOWN]: typed, ...values }: Values): Promise<Converted> {
  if (typed === undefined) return { values, lost: [] }
  const { convertMarkdown, checkSize, toMarkdown } = await loadConverters()
  const markdown = toLines(typed)
  return convert(() => {
    checkSize(markdown)
    if (toLines(toMarkdown(values.contentHtml ?? '')) === markdown) return { values, lost: [] }
    const { html, losses } = convertMarkdown(markdown, { hasTitle: true })
    const lost = new Set([...losses.map(({ detail }) => detail), ...codeIn(markdown.replace(CODE, ''))])
    return { values: { ...values, contentHtml: html }, lost: [...lost] }
  })
}

/** Keeps the HTML of blocks that nobody edited in the Markdown, so that a merge finds only the edited ones. */
export async function editedBlocks({ contentHtml: opened = '' }: Values, edited: string): Promise<string> {
  const { convertMarkdown, toMarkdown } = await loadConverters()
  const rewritten = convertMarkdown(toMarkdown(opened), { hasTitle: true }).html
  const asIs = (text: string) => text
  return mergeTexts(blockTexts(rewritten), edited, toLines(opened), asIs)?.mine ?? edited
}

/** Shows the content as Markdown. The choices stay HTML. */
export const asMarkdown = (conflicts: Conflict[]) =>
  Promise.all(
    conflicts.map(async (conflict) => {
      if (conflict.name !== 'contentHtml') return conflict
      const shown = await Promise.all(
        [conflict.mine, conflict.theirs].map((contentHtml) => withMarkdown({ contentHtml })),
      ).catch(() => null)
      const [mine, theirs] = shown?.map(({ values }) => values[MARKDOWN] ?? '') ?? []
      return mine === undefined || theirs === undefined ? conflict : { ...conflict, shown: { mine, theirs } }
    }),
  )

/** Nothing if the content cannot be converted, which the page says. */
export const lostIn = (values: Values) =>
  withMarkdown(values).then(
    ({ lost }) => lost,
    () => [],
  )

function convert(conversion: () => Converted): Converted {
  try {
    return conversion()
  } catch (error) {
    const reason =
      error instanceof RangeError ? 'its elements are nested too deeply' : (error as Error).message
    throw new AppError('invalid_body', { path: 'contentHtml', message: `cannot be converted: ${reason}` })
  }
}
