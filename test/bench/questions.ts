/** The requests of the bench, row by row. */
import { type Content, POSTS, type Site, slugOf, TOPICS, topicOf } from './content.ts'
import type { Question } from './load.ts'

const PAGE_SIZE = 12
const PAGES = Math.ceil(POSTS / PAGE_SIZE)
const STRIDE = 367
const MOMENTS = 600

/** All pages, first and last ones mixed, so that a short run has the same share of both as a long one. */
export const PAGE_NUMBERS = Array.from({ length: PAGES }, (_, n) => ((n * STRIDE) % PAGES) + 1)

export const NAMES = [
  'list hot',
  'list cold',
  'post',
  '304',
  'updatedAfter',
  'search',
  'sitemap',
  'export',
] as const

export type Name = (typeof NAMES)[number]

/** The requests that also run on an isolate without a cache. */
export const COLD_NAMES: readonly Name[] = ['304', 'list hot', 'post', 'sitemap']

/** All questions, over what `content` has written to the Worker at `origin`. */
export async function makeQuestions(origin: string, content: Content): Promise<Record<Name, Question>> {
  const { blog, mapped, trained, edit, renew } = content
  const ask = (site: Site, paths: string[]): Question => ({
    origin,
    headers: { authorization: `Bearer ${site.key}` },
    paths: paths.map((path) => `/api/v1/sites/${site.id}${path}`),
    status: 200,
  })
  const hot = ask(blog, ['/posts'])
  /** No question is repeated for the same version of what it asks for, so that no answer is cached. */
  const cold = (count: number, path: (n: number) => string): Question => ({
    ...ask(
      blog,
      Array.from({ length: count }, (_, n) => path(n)),
    ),
    onLap: edit,
  })
  const times = await updateTimes(ask(blog, pagesOf(MOMENTS + PAGE_SIZE)))
  return {
    'list hot': hot,
    'list cold': cold(PAGES, (n) => `/posts?page=${PAGE_NUMBERS[n]}`),
    post: { ...cold(POSTS, (n) => `/posts/${slugOf(n)}`), onLap: renew },
    '304': { ...hot, freshHeaders: async () => ({ 'if-none-match': await etagOf(hot) }), status: 304 },
    updatedAfter: cold(MOMENTS, (n) => `/posts?updatedAfter=${times[n + PAGE_SIZE]}`),
    search: cold(TOPICS, (n) => `/posts?search=${encodeURIComponent(topicOf(n))}`),
    sitemap: ask(mapped, ['/sitemap.xml']),
    export: ask(trained, ['/training/export']),
  }
}

/** The answer to the first path of a question. */
export async function answerTo({ origin, headers, paths }: Question): Promise<string> {
  return (await fetch(origin + paths[0], { headers })).text()
}

const pagesOf = (posts: number) =>
  Array.from({ length: Math.ceil(posts / 50) }, (_, n) => `/posts?pageSize=50&page=${n + 1}`)

/** Newest first. */
async function updateTimes({ paths, ...question }: Question): Promise<string[]> {
  const times: string[] = []
  for (const path of paths) {
    const page = JSON.parse(await answerTo({ ...question, paths: [path] }))
    times.push(...page.items.map((post: { updatedAt: string }) => post.updatedAt))
  }
  return times
}

async function etagOf({ origin, headers, paths }: Question): Promise<string> {
  const response = await fetch(origin + paths[0], { headers })
  await response.body?.cancel()
  return response.headers.get('etag')!
}
