/** Pages one after the other, each asked for when it is needed. */
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

/** Whether there is a next page. @throws Error if that were the same one, since it would never end */
export function goesOn(
  page: { cursor: string; hasMore: boolean },
  asked: string | null | undefined,
): boolean {
  if (page.hasMore && page.cursor === asked) {
    throw new Error(`The service says that more comes after ${page.cursor}, and gives nothing else`)
  }
  return page.hasMore
}

export function createPages({ listPosts, listGuides, listChanges, exportTraining }: Operations) {
  return {
    /**
     * With `updatedAfter` no post is missed, whatever is written meanwhile. Without it the pages have numbers, and shift
     * when a post is written or deleted.
     */
    postPages: ((query: Query<'listPosts'> = {}, options?: CallOptions) =>
      numbered((each: Query<'listPosts'>) => listPosts(each, options), query)) as PostPages,

    /** Published ones, in the order of `postPages`. */
    guidePages: (query: Query<'listGuides'> = {}, options?: CallOptions) =>
      numbered((each: Query<'listGuides'>) => listGuides(each, options), query),

    /** To the end of the feed; go on later with the `cursor` of the last page. */
    changePages: async function* (query: Query<'listChanges'> = {}, options?: CallOptions) {
      for (let next = query; ; ) {
        const list = await listChanges(next, options)
        yield list
        if (!goesOn(list, next.cursor)) return
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
