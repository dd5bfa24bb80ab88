/** The verbs that posts and guides have in common. */
import type { Command } from 'commander'
import { articlePath, type Kind } from '../article-path.ts'
import { inBatches, sourcesFirst } from '../batches.ts'
import { type Api, path } from '../client.ts'
import { type Result, verb } from '../command.ts'
import { Failure, relocated } from '../failure.ts'
import type { Io } from '../io.ts'
import { type JsonObject, readObjects } from '../json-file.ts'
import { progress, table } from '../output.ts'
import { addReadVerbs } from './article-read.ts'

export type Outcome = {
  slug: string
  id: string
  outcome: 'created' | 'updated' | 'unchanged'
  status: string
}
type State = { slug: string; status: string; publishedAt: string | null }

/** Adds `list`, `get`, `put`, `publish`, `unpublish`, `rename` and `delete` to the noun `post` or `guide`. */
export function addArticleVerbs(noun: Command, io: Io, kind: Kind): void {
  const one = kind.slice(0, -1)
  addReadVerbs(noun, io, kind)

  verb(
    io,
    noun,
    'put <site> <file.json>',
    `insert or update ${kind} by slug, an object or an array`,
    async (api, args) => {
      const [site = '', file = ''] = args
      return putFile(io, api, kind, site, file)
    },
  )
  verb(io, noun, 'publish <site> <slug>', `publish a ${one}`, async (api, [site = '', slug = '']) => {
    const state = await api<State>('PUT', `${articlePath(kind, site, slug)}/publication`)
    return { json: state, text: `Published ${state.slug} (published at ${state.publishedAt})` }
  })
  verb(
    io,
    noun,
    'unpublish <site> <slug>',
    `make a ${one} a draft again`,
    async (api, [site = '', slug = '']) => {
      const state = await api<State>('DELETE', `${articlePath(kind, site, slug)}/publication`)
      return { json: state, text: `Unpublished ${state.slug}` }
    },
  )
  verb(io, noun, 'rename <site> <slug> <new-slug>', `give a ${one} another slug`, async (api, args) => {
    const [site = '', slug = '', newSlug = ''] = args
    const state = await api<State>('PUT', `${articlePath(kind, site, slug)}/slug`, { slug: newSlug })
    return { json: state, text: `Renamed ${slug} to ${state.slug}` }
  })
  verb(io, noun, 'delete <site> <slug>', `delete a ${one}`, async (api, [site = '', slug = '']) => {
    await api('DELETE', articlePath(kind, site, slug))
    return { json: { deleted: slug }, text: `Deleted ${slug}` }
  })
}

/** How many were created, updated and left unchanged. */
function countOutcomes(outcomes: Outcome[]) {
  const count = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).length
  return { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
}

async function putFile(io: Io, api: Api, kind: Kind, site: string, file: string): Promise<Result> {
  const objects = (await readObjects(io, file)).map((article, index) => ({ article, index }))
  const items: Outcome[] = []
  const shown = progress(io, `Putting ${kind}`, objects.length)
  try {
    for (const batch of inBatches(
      sourcesFirst(objects, ({ article }) => article),
      undefined,
      ({ article }) => article,
    )) {
      items.push(...(await putBatch(api, kind, site, batch)))
      shown.at(items.length)
    }
  } catch (error) {
    throw items.length === 0 ? error : afterSome(error as Error, items.length, objects.length)
  } finally {
    shown.end()
  }
  const counts = countOutcomes(items)
  const columns = {
    slug: (item: Outcome) => item.slug,
    outcome: (item: Outcome) => item.outcome,
    status: (item: Outcome) => item.status,
  }
  const sum = `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged`
  return { json: { ...counts, items }, text: `${table(items, columns, `No ${kind} in ${file}`)}\n${sum}` }
}

async function putBatch(api: Api, kind: Kind, site: string, batch: { article: JsonObject; index: number }[]) {
  try {
    const body = { [kind]: batch.map(({ article }) => article) }
    const answer = await api<{ items: Outcome[] }>('PUT', path`/sites/${site}/${kind}`, body)
    return answer.items
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The API counts within the batch, the operator within the file.
    const inFile = (_: string, at: string) => `${kind}[${batch[Number(at)]?.index ?? at}]`
    throw relocated(error, (path) => path.replace(/^\w+\[(\d+)\]/, inFile))
  }
}

function afterSome(error: Error, done: number, total: number): Failure {
  return new Failure(`${error.message} (${done} of ${total} were put before)`)
}
