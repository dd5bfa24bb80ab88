/** Requests for a small and a large site, and some only for a large one. Paths are below the site's. */
import type { Asker, Subject } from './asker.ts'
import { COMMON_WORD, RARE_WORD } from './fill.ts'

type Page = { items: { slug: string; updatedAt: string }[] }

/** Questions whose answers are of the same size on every site. */
export async function commonQuestions(asker: Asker, subject: Subject): Promise<Record<string, string>> {
  const after = await updateTime(asker, subject, 12)
  const { slug } = (await pageOf(asker, subject, '/posts?page=20')).items[0]!
  return {
    'first page': '/posts',
    'status=published': '/posts?status=published',
    'status=draft': '/posts?status=draft',
    'language=de': '/posts?language=de',
    'language=de, status=draft': '/posts?language=de&status=draft',
    'updatedAfter, 12 matches': `/posts?updatedAfter=${after}`,
    'updatedAfter, language, status': `/posts?updatedAfter=${after}&language=de&status=published`,
    'search, 12 matches': `/posts?search=${RARE_WORD}`,
    'search, none': '/posts?search=nobodywritesthis',
    'search, language, status': `/posts?search=${RARE_WORD}&language=de&status=published`,
    'all filters': `/posts?search=${RARE_WORD}&language=de&status=published&updatedAfter=2000-01-01T00:00:00Z`,
    'post by slug': `/posts/${encodeURIComponent(slug)}`,
  }
}

export async function largeQuestions(asker: Asker, subject: Subject): Promise<Record<string, string>> {
  const { posts } = subject
  const tenth = Math.floor(posts / 10)
  return {
    [`updatedAfter, ${tenth} matches`]: `/posts?updatedAfter=${await updateTime(asker, subject, tenth)}`,
    [`search, ${tenth} matches`]: `/posts?search=${COMMON_WORD}`,
    'search of one letter': '/posts?search=k',
    'page in the middle': `/posts?page=${Math.ceil(posts / 24)}`,
    'page 50,000 of 12': `/posts?page=${Math.min(50_000, Math.floor(posts / 12))}`,
    'last page of language=de': `/posts?language=de&page=${Math.floor(posts / 8 / 12)}`,
  }
}

/** A time that `newer` posts are newer than. */
async function updateTime(asker: Asker, subject: Subject, newer: number): Promise<string> {
  return (await pageOf(asker, subject, `/posts?pageSize=1&page=${newer + 1}`)).items[0]!.updatedAt
}

async function pageOf(asker: Asker, subject: Subject, below: string): Promise<Page> {
  return JSON.parse((await asker.read(subject, below)).body)
}
