/** Pages as async iterators; each is fetched when it is needed. */
import type { Operations, WithFields } from './operations.ts'
import type {
  CallOptions,
  ChangeList,
  PartialChangeList,
  PartialPostList,
  PostList,
  Query,
  TrainingPage,
} from './types.ts'

type Asked = { updatedAfter?: string; page?: number }
type Numbered = { items: { updatedAt: string | null }[]; page: number; totalPages: number }

type PostPages = {
  (query: WithFields<'listPosts'>, options?: CallOptions): AsyncGenerator<PartialPostList>
  (query?: Query<'listPosts'>, options?: CallOptions): AsyncGenerator<PostList>
}

type ChangePages = {
  (query: WithFields<'listChanges'>, options?: CallOptions): AsyncGenerator<PartialChangeList>
  (query?: Query<'listChanges'>, options?: CallOptions): AsyncGenerator<ChangeList>
}

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

/** @throws Error if the next page would be the same one, since that would never end */
export function hasNextPage(
  page: { cursor: string; hasMore: boolean },
  asked: string | null | undefined,
): boolean {
  if (page.hasMore && page.cursor === asked) {
    throw new Error(`The service reports more pages after ${page.cursor}, but repeats that cursor`)
  }
  return page.hasMore
}

export function createPages({ listPosts, listGuides, listChanges, exportTraining }: Operations) {
  return {
    /**
     * With `updatedAfter`, concurrent writes don't make it miss a post. Otherwise pages have numbers, and shift when a post
     * is written or deleted.
     */
    postPages: ((query: Query<'listPosts'> = {}, options?: CallOptions) =>
      numbered((each: Query<'listPosts'>) => listPosts(each, options), query)) as PostPages,

    /** Published guides, in the order of `postPages`. */
    guidePages: (query: Query<'listGuides'> = {}, options?: CallOptions) =>
      numbered((each: Query<'listGuides'>) => listGuides(each, options), query),

    /** To the end of the feed. Continue later with the `cursor` of the last page. */
    changePages: async function* (query: Query<'listChanges'> = {}, options?: CallOptions) {
      for (let next = query; ; ) {
        const list = await listChanges(next, options)
        yield list
        if (!hasNextPage(list, next.cursor)) return
        next = { ...query, cursor: list.cursor }
      }
    } as ChangePages,

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
