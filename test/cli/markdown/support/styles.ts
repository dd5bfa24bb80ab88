/** A folder in the style of a generator, imported by the command, with the expected outcome for each file. */
import { beforeAll, expect, it } from 'vitest'
import { adminJson, folderOf } from '../../support/admin.ts'
import { bundleArticle, keywordsOf } from '../../support/bundle.ts'
import { startManageServer, storingScript } from '../../support/manage-server.ts'

/** Omitted `losses`, `redirects` and `images` are empty; other omitted fields are not compared. */
type Expected = {
  slug?: string
  title?: string
  date?: string | undefined
  status?: 'draft' | 'published'
  language?: string
  sourceSlug?: string
  tags?: unknown
  section?: unknown
  author?: unknown
  image?: unknown
  modified?: unknown
  excerpt?: string
  html?: string
  /** As `field: reason`. */
  losses?: string[]
  /** Old URLs that lead to it, in order. */
  redirects?: string[]
}

/** The file's text and its expected outcome; `skipped` is the reason why it is not imported, or empty if it is not a page. */
export type Files = Record<
  string,
  [text: string, becomes?: Expected | { skipped: string } | { lost: string }]
>

type Json = {
  skipped: { file: string; reason: string }[]
  notTakenOver: { file: string; field: string; reason: string }[]
}
// biome-ignore lint/suspicious/noExplicitAny: what the command has put
type Put = any

/** One test per file. `dir` is the imported folder, below that of all files. */
export function itImports(files: Files, { dir = '.', flags = [] as string[], more = {} as object } = {}) {
  let json: Json
  const put = new Map<string, Put>()
  const redirects: { from: string; to?: string; slug?: string }[] = []

  beforeAll(async () => {
    const { script } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf(
      Object.fromEntries(Object.entries(files).map(([file, [text]]) => [file, text])),
    )
    const args = ['import', 'markdown', 's1', `${folder.path}/${dir}`, '--status', 'published', ...flags]
    ;({ json } = await adminJson(server.url, ...args))
    expect(json).toMatchObject(more)
    for (const { body } of server.asked) {
      for (const article of body?.posts ?? []) put.set(article.slug, article)
      redirects.push(...(body?.redirects ?? []))
    }
  })

  const below = dir === '.' ? '' : `${dir}/`
  const articleOf = (file: string) =>
    [...put.values()].find(
      ({ originId }) => originId === `markdown:${file}` || fileOfId(originId, files) === below + file,
    )

  it.each(Object.entries(files).map(([path, [, becomes]]) => ({ path, becomes })))(
    '$path',
    ({ path, becomes }) => {
      const file = path.slice(below.length)
      const article = path.startsWith(below) ? articleOf(file) : undefined
      const reason = json.skipped.find((one) => one.file === file)?.reason
      const losses = json.notTakenOver
        .filter((one) => one.file === file)
        .map(({ field, reason }) => `${field}: ${reason}`)
      if (becomes === undefined || 'skipped' in becomes || 'lost' in becomes) {
        expect({ article, skipped: reason, losses }).toEqual({
          article: undefined,
          skipped: becomes && 'skipped' in becomes ? becomes.skipped : undefined,
          losses: becomes && 'lost' in becomes ? [becomes.lost] : [],
        })
        return
      }
      const ofSchema = bundleArticle(article)
      const all: Required<Expected> = {
        ...{ slug: article?.slug, title: article?.title, status: article?.status },
        ...{ language: article?.language, sourceSlug: article?.sourceSlug, excerpt: article?.excerpt },
        date: article?.publishedAt,
        tags: keywordsOf(article),
        section: ofSchema.articleSection,
        author: ofSchema.author,
        image: ofSchema.image,
        modified: ofSchema.dateModified,
        html: article?.contentHtml,
        losses,
        redirects: redirects.filter(({ slug }) => article && slug === article.slug).map(({ from }) => from),
      }
      const wanted: Expected = { losses: [], redirects: [], ...becomes }
      const compared = Object.keys(wanted) as (keyof Expected)[]
      expect({ skipped: reason, ...Object.fromEntries(compared.map((key) => [key, all[key]])) }).toEqual({
        skipped: undefined,
        ...wanted,
      })
    },
  )

  return {
    /** Redirects that do not lead to an article. */
    otherRedirects: () => redirects.flatMap(({ from, to }) => (to === undefined ? [] : [`${from} ${to}`])),
  }
}

/** The origin from an `id` in front matter. */
function fileOfId(origin: string | undefined, files: Files): string | undefined {
  const id = /^markdown:#(.*)$/.exec(origin ?? '')?.[1]
  return Object.keys(files).find((file) => id !== undefined && files[file]?.[0].includes(`id: ${id}\n`))
}
