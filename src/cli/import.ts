import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { articlePath, countOutcomes, type Kind, type Outcome } from './article.ts'
import { inBatches, sourcesFirst } from './batches.ts'
import { type Api, path } from './client.ts'
import { type Result, verb } from './command.ts'
import { Failure } from './failure.ts'
import type { Io } from './io.ts'
import { byPath, findMarkdown, reasonOf, type Skipped } from './markdown/folder.ts'
import { type Planned, planArticles } from './markdown/plan.ts'
import { convertFiles } from './markdown/pool.ts'
import { progress } from './output.ts'

type ImportFlags = { as: Kind; status?: 'draft' | 'published'; language?: string }

/** Adds `import markdown`. */
export function addImport(program: Command, io: Io): void {
  const noun = program.command('import').description('content from elsewhere')
  verb<ImportFlags>(
    io,
    noun,
    'markdown <site> <dir>',
    'import a folder of .md, .markdown and .mdx files; doing it again changes nothing',
    async (api, [site = '', dir = ''], flags) => importMarkdown(io, api, site, dir, flags),
    [
      new Option('--as <kind>', 'what the files become').choices(['posts', 'guides']).default('posts'),
      new Option('--status <status>', 'instead of what the front matter says').choices([
        'draft',
        'published',
      ]),
      new Option('--language <language>', 'of files that name none'),
    ],
  )
}

async function importMarkdown(
  io: Io,
  api: Api,
  site: string,
  dir: string,
  flags: ImportFlags,
): Promise<Result> {
  const root = resolve(io.cwd, dir)
  await mustBeFolder(root, dir)
  const { defaultLanguage } = await api<{ defaultLanguage: string }>('GET', path`/sites/${site}`)
  const found = await findMarkdown(root)
  if (found.files.length + found.skipped.length === 0)
    throw new Failure(`No .md, .markdown or .mdx file in ${dir}`)

  const converting = progress(io, 'Converting', found.files.length)
  const converted = await convertFiles(root, found.files, converting.at, io.fileTimeoutMs)
  converting.end()
  const { planned, skipped } = planArticles(converted.documents, { ...flags, defaultLanguage })
  const put = await putAll(io, api, flags.as, site, planned)
  return report(put.outcomes, [...found.skipped, ...converted.skipped, ...skipped, ...put.refused], planned)
}

async function putAll(io: Io, api: Api, kind: Kind, site: string, planned: Planned[]) {
  const outcomes: Outcome[] = []
  const refused: Skipped[] = []
  const putting = progress(io, `Putting ${kind}`, planned.length)
  try {
    for (const batch of inBatches(sourcesFirst(planned, articleOf), undefined, articleOf)) {
      const put = await putBatch(api, kind, site, batch)
      outcomes.push(...put.outcomes)
      refused.push(...put.refused)
      putting.at(outcomes.length + refused.length)
    }
  } catch (error) {
    const done = `${outcomes.length} of ${planned.length} were put before; the same command goes on from there`
    throw new Failure(`${(error as Error).message} (${done})`)
  } finally {
    putting.end()
  }
  return { outcomes, refused }
}

/** Puts a batch; if the API refuses it, one by one, so that only the bad ones are left out. */
async function putBatch(api: Api, kind: Kind, site: string, batch: Planned[]) {
  const refused: Skipped[] = []
  try {
    const body = { [kind]: batch.map(articleOf) }
    const answer = await api<{ items: Outcome[] }>('PUT', path`/sites/${site}/${kind}`, body)
    return { outcomes: answer.items, refused }
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  const outcomes: Outcome[] = []
  for (const { file, article } of batch) {
    const { slug, ...body } = article
    try {
      outcomes.push(await api<Outcome>('PUT', articlePath(kind, site, slug), body))
    } catch (error) {
      if (!isRefusal(error)) throw error
      refused.push({ file, reason: error.message })
    }
  }
  return { outcomes, refused }
}

// 401 and 404 are about the token and the site, so the next one would fail too.
function isRefusal(error: unknown): error is Failure {
  const status = error instanceof Failure ? (error.status ?? 0) : 0
  return status >= 400 && status < 500 && status !== 401 && status !== 404
}

function report(outcomes: Outcome[], unsorted: Skipped[], planned: Planned[]): Result {
  const skipped = unsorted.toSorted((a, b) => byPath(a.file, b.file))
  const left = new Set(skipped.map(({ file }) => file))
  const dropped = planned
    .filter(({ file, components }) => components.length > 0 && !left.has(file))
    .map(({ file, components }) => ({ file, components }))
  const { created, updated, unchanged } = countOutcomes(outcomes)
  const json = { imported: created, updated, unchanged, skipped, dropped }
  const text = [
    ...skipped.map(({ file, reason }) => `Skipped ${file}: ${reason}`),
    ...dropped.map(({ file, components }) => `Not rendered in ${file}: ${components.join(', ')}`),
    `${created} imported, ${updated} updated, ${unchanged} unchanged, ${skipped.length} skipped`,
  ].join('\n')
  return { json, text, complete: skipped.length === 0 }
}

function articleOf(planned: Planned) {
  return planned.article
}

async function mustBeFolder(root: string, dir: string): Promise<void> {
  try {
    if ((await stat(root)).isDirectory()) return
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Failure(`Cannot read ${dir}: ${missing ? 'there is no such folder' : reasonOf(error)}`)
  }
  throw new Failure(`${dir} is not a folder`)
}
