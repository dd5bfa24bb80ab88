/** Pages one after the other, each asked for when it is needed. */
import type { Operations } from './operations.ts'
import type { CallOptions, ChangeList, Query, TrainingPage } from './types.ts'

type Asked = { updatedAfter?: string; page?: number }
type Numbered = { items: { updatedAt: string | null }[]; page: number; totalPages: number }

async function* numbered<Given extends Asked, List extends Numbered>(
  list: (query: Given) => Promise<List>,
  query: Given,
): AsyncGenerator<List> {
  for (let next = query; ; ) {
    const page = await list(next)
    const newest = page.items.at(-1)?.updatedAt
    if (newest) yield page
    if (query.updatedAfter !== undefined) {
      if (!newest) return
      next = { ...query, updatedAfter: newest }
    } else {
      if (page.page >= page.totalPages) return
      next = { ...query, page: page.page + 1 }
    }
  }
}

export function createPages({ listPosts, listGuides, listChanges, exportTraining }: Operations) {
  return {
    /**
     * With `updatedAfter` no post is missed, whatever is written meanwhile. Without it the pages have numbers, and shift
     * when a post is written or deleted.
     */
    postPages: (query: Query<'listPosts'> = {}, options?: CallOptions) =>
      numbered((each: Query<'listPosts'>) => listPosts(each, options), query),

    /** Published ones, in the order of `postPages`. */
    guidePages: (query: Query<'listGuides'> = {}, options?: CallOptions) =>
      numbered((each: Query<'listGuides'>) => listGuides(each, options), query),

    /** To the end of the feed; go on later with the `cursor` of the last page. */
    async *changePages(query: Query<'listChanges'> = {}, options?: CallOptions): AsyncGenerator<ChangeList> {
      for (let next = query; ; ) {
        const list = await listChanges(next, options)
        yield list
        if (!list.hasMore) return
        next = { ...query, cursor: list.cursor }
      }
    },

    async *trainingPages(
      query: Query<'exportTraining'> = {},
      options?: CallOptions,
    ): AsyncGenerator<TrainingPage> {
      for (let next = query; ; ) {
        const page = await exportTraining(next, options)
        yield page
        if (page.next === null) return
        next = { after: page.next }
      }
    },
  }
}
