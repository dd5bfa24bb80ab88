/** Steps that puts of posts and guides share. Their upserts are in posts/put.ts and guides/put.ts. */
import type { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { postStatuses } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type Sending, writeSite } from '../../freshness/write-site.ts'
import type { ArticleInput, Kind } from './kind.ts'
import { toInputError } from './put-checks.ts'
import { cancelledBy, cancelledSchedule, isHidden, type State, selectStates } from './state-change.ts'

export const PutResult = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      outcome: z.enum(['created', 'updated', 'unchanged']),
      status: z.enum(postStatuses),
      updatedAt: z.iso.datetime(),
      cancelledSchedule,
    })
    .register(z.globalRegistry, { id: 'PutResult' }),
)

export type PutResult = z.infer<typeof PutResult>

export type PutOptions = {
  /** The prefix of an error's path. */
  where?: (index: number) => string
  /** For new articles, by position. */
  ids?: string[] | undefined
  /** `none` sends no events that can be switched off. */
  events?: Sending | undefined
  /** Statements of the same transaction; these may refuse the put. */
  before?: SQL[]
  after?: SQL[]
  /** One of them gives the article another slug. */
  isRenamed?: boolean
}

/** By position. `eventsNotSent` counts the events that `events` left out. */
export type PutResults = PutResult[] & { eventsNotSent: number }

type Put = {
  inputs: ArticleInput[]
  where: (index: number) => string
  events: Sending | undefined
  before: SQL[]
  /** Return the articles that they wrote. */
  upserts: (BatchItem<'pg'> & { _: { result: State[] } })[]
  after: SQL[]
  isRenamed: boolean
}

/** One transaction. Returns one result per input, in the same order. */
export async function writePut(
  ctx: Context,
  { table }: Kind,
  site: SiteScope,
  { inputs, where, events, before, upserts, after, isRenamed }: Put,
): Promise<PutResults> {
  const slugs = inputs.map(({ slug }) => slug)
  const [states, ...statements] = [
    selectStates(ctx.db, table, site, slugs),
    ...before.map((statement) => ctx.db.execute(statement)),
    ...upserts,
    ...after.map((statement) => ctx.db.execute(statement)),
  ]
  const toChanges = ([found, ...others]: unknown[]) => {
    const written = others.slice(before.length, before.length + upserts.length) as State[][]
    const stored = new Map((found as State[]).map((row) => [row.slug, row]))
    const put = new Map(written.flat().map((row) => [row.slug, row]))
    return slugs.map((slug) => ({ before: stored.get(slug), after: put.get(slug) ?? stored.get(slug)! }))
  }
  try {
    const { results, eventsNotSent } = await writeSite(ctx, site.id, [states!, ...statements], {
      sending: events,
      hidesPublished: (all) =>
        toChanges(all).some(
          ({ before, after }) =>
            before && (isHidden({ before, after }) || (isRenamed && before.status === 'published')),
        ),
    })
    return Object.assign(toChanges(results).map(toResult), { eventsNotSent })
  } catch (error) {
    throw toInputError(error, slugs, where)
  }
}

/** A put without a visible change keeps `updatedAt`. */
function toResult({ before, after }: { before: State | undefined; after: State }): PutResult {
  const isUpdated = before?.updatedAt.getTime() !== after.updatedAt.getTime()
  return {
    slug: after.slug,
    id: after.id,
    outcome: !before ? 'created' : isUpdated ? 'updated' : 'unchanged',
    status: after.status,
    updatedAt: wireTime(after.updatedAt),
    ...(before && cancelledBy({ before, after })),
  }
}
