/** Large sites, written in SQL: past the API, but through the triggers that every write goes through. */
import pg from 'pg'
import { query } from '../../support/databases.ts'
import { randomFrom } from '../../support/random.ts'

/** In ten of a hundred titles, and in twelve of a site's. */
export const COMMON_WORD = 'kubernetes'
export const RARE_WORD = 'zeppelin'
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'it', 'nl']
const AT_ONCE = 10_000

const random = randomFrom(20_261_121)
const WORDS = Array.from({ length: 2_000 }, () => syllables(1 + Math.floor(random() * 4)))
const TITLES = Array.from({ length: 5_000 }, () => words(3 + Math.floor(random() * 7)))
const PARAGRAPHS = Array.from({ length: 1_000 }, () => `<p>${words(150).slice(0, 993)}</p>`)

/**
 * Posts of 2 KB in eight languages, each eight of them translations of the first; every tenth is a draft. `rare` puts
 * the rare word into twelve titles.
 */
export async function fill(url: string, siteId: string, count: number, { rare = true } = {}): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (let from = 0; from < count; from += AT_ONCE) {
      const to = Math.min(count, from + AT_ONCE) - 1
      const values = [siteId, from, to, rare ? Math.ceil(count / 12) : 0, TITLES, PARAGRAPHS, LANGUAGES]
      await client.query(INSERT, values)
    }
  } finally {
    await client.end()
  }
}

/** Post `k` and its translations are `k - k % 8` and the seven after it. */
const INSERT = `
  insert into posts (id, site_id, slug, title, title_folded, excerpt, content_html, status, published_at, language,
    source_post_id, quality_band, reading_time_minutes, url_template)
  select md5($1::text || k)::uuid, $1::uuid, k || '-' || replace(title, ' ', '-'), title, title,
    left(first, 160), first || second, case when k % 10 = 9 then 'draft' else 'published' end, now(),
    ($7::text[])[k % 8 + 1], case when k % 8 > 0 then md5($1::text || (k - k % 8))::uuid end, 'standard', 2,
    'https://' || case when k % 100 = 0 then 'old' else 'large' end || '.example.com/blog/{slug}'
  from (
    select k, ($6::text[])[k % 1000 + 1] as first, ($6::text[])[k / 7 % 1000 + 1] as second,
      ($5::text[])[k % 5000 + 1] || case when k % 10 = 3 then ' ${COMMON_WORD}' else '' end
        || case when $4::integer > 0 and k % nullif($4::integer, 0) = 5 then ' ${RARE_WORD}' else '' end as title
    from generate_series($2::integer, $3::integer) k
  ) made
  order by k`

/** `count` sites of 100 posts each. */
export async function fillNeighbours(url: string, count: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    `insert into sites (name, domain) select 'Neighbour ' || n, 'n' || n || '.example.com' from generate_series(1, $1) n
     returning id`,
    [count],
  )
  await client.end()
  for (const { id } of rows) await fill(url, id, 100, { rare: false })
}

/** Published guides, as many for each site. */
export async function fillGuides(url: string, count: number): Promise<void> {
  await query(
    url,
    `insert into guides (site_id, slug, title, content_html, status)
     select s.id, 'guide-' || n, 'Guide ' || n, '<p>Words.</p>', 'published'
     from sites s, generate_series(1, ${count}) n`,
  )
}

export async function fillTraining(url: string, siteId: string, count: number): Promise<void> {
  await query(
    url,
    `insert into training_rows (site_id, prompt, completion)
     select '${siteId}', 'Prompt ' || n, repeat('Words of an answer. ', 100) from generate_series(1, ${count}) n`,
  )
}

function words(count: number): string {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]!).join(' ')
}

function syllables(count: number): string {
  const one = (letters: string) => letters[Math.floor(random() * letters.length)]
  return Array.from({ length: count }, () => `${one('bcdfghklmnprstvw')}${one('aeiou')}`).join('')
}
