/** What is asked of a small and of a large site alike. */
import { COMMON_WORD, RARE_WORD } from './fill.ts'

export type Subject = { id: string; key: string; posts: number }
/** Reads below a site's path. */
export type Ask = (subject: Subject, below: string, headers?: Record<string, string>) => Promise<Response>

type List = { items: { slug: string; updatedAt: string }[]; total: number; totalPages: number }

/** Questions whose answer is of the same size on every site; a path below the site, and how many posts it finds. */
export async function commonQuestions(ask: Ask, subject: Subject) {
  const after = await updateTime(ask, subject, 12)
  const slug = (await listOf(ask, subject, '/posts?page=20')).items[0]!.slug
  const paths = {
    'first page': '/posts',
    'status=published': '/posts?status=published',
    'status=draft': '/posts?status=draft',
    'language=de': '/posts?language=de',
    'language=pt, status=draft': '/posts?language=pt&status=draft',
    'updatedAfter, 12 matches': `/posts?updatedAfter=${after}`,
    'updatedAfter, language, status': `/posts?updatedAfter=${after}&language=de&status=published`,
    'search, 12 matches': `/posts?search=${RARE_WORD}`,
    'search, none': '/posts?search=nobodywritesthis',
    'search, language, status': `/posts?search=${RARE_WORD}&language=de&status=published`,
    'all filters': `/posts?search=${RARE_WORD}&language=de&status=published&updatedAfter=2000-01-01T00:00:00Z`,
    'post by slug': `/posts/${encodeURIComponent(slug)}`,
  }
  return paths
}

/** Questions that only a large site can be asked. */
export async function largeQuestions(ask: Ask, subject: Subject) {
  const tenth = Math.floor(subject.posts / 10)
  return {
    [`updatedAfter, ${tenth} matches`]: `/posts?updatedAfter=${await updateTime(ask, subject, tenth)}`,
    [`search, ${tenth} matches`]: `/posts?search=${COMMON_WORD}`,
    'search of one letter': '/posts?search=k',
    'page in the middle': `/posts?page=${Math.ceil(subject.posts / 24)}`,
    'page 50,000 of 12': `/posts?page=${Math.min(50_000, Math.floor(subject.posts / 12))}`,
    'last page of language=de': `/posts?language=de&page=${Math.floor(subject.posts / 8 / 12)}`,
  }
}

/** A time that so many posts are newer than. */
async function updateTime(ask: Ask, subject: Subject, newer: number): Promise<string> {
  return (await listOf(ask, subject, `/posts?pageSize=1&page=${newer + 1}`)).items[0]!.updatedAt
}

async function listOf(ask: Ask, subject: Subject, below: string): Promise<List> {
  return (await ask(subject, below)).json() as Promise<List>
}
