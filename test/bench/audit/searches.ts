/**
 * Measures pages and searches of a large audit log, and the cost of an entry. Half of the entries are of acts of a thousand, the
 * others are acts of their own; 20,000 posts of 200 sites, twelve people.
 */
import type pg from 'pg'
import type { Service } from '../service.ts'

const FILL = `
  insert into audit_log (at, site_id, action, resource_id, subject, title, after, actor_id, actor, channel, changeset_id, is_head)
  select now() - (:entries - n) * interval '30 s', md5('s' || changeset % 200)::uuid, verb,
    md5('p' || post)::uuid, 'how-to-' || word || '-number-' || post,
    case when verb in ('post.created', 'post.deleted', 'post.renamed') then 'How to ' || word || ' number ' || post end,
    '{"status": "published"}', md5('a' || changeset % 12)::uuid, 'person-' || changeset % 12, 'console', md5('changeset' || changeset)::uuid, is_head
  from (
    select n, post, changeset, is_head, (array['bake', 'grow', 'paint', 'write', 'build'])[1 + post / 5 % 5] as word,
      case when not is_single then 'post.rebuilt' when n % 5000 = 7 then 'key.revoked' else
        (array['post.created', 'post.updated', 'post.published', 'post.deleted', 'guide.updated'])[1 + n % 5] end as verb
    from (
      select n, n % 20000 as post, n / 1000 % 2 = 0 as is_single,
        case when n / 1000 % 2 = 0 then n else n / 1000 end as changeset, n / 1000 % 2 = 0 or n % 1000 = 0 as is_head
      from generate_series(1, :entries) n
    ) numbers
  ) entries`

/** Fills the log, whose triggers refuse entries of another time. */
export async function fillLog(client: pg.Client, entries: number): Promise<void> {
  await client.query('alter table audit_log disable trigger user')
  await client.query(FILL.replaceAll(':entries', String(entries)))
  await client.query('alter table audit_log enable trigger user')
  await client.query('vacuum analyze audit_log')
}

/** In milliseconds through the management API, a page of 50, of which the slowest is of the first time. */
export async function timeSearches(service: Service, client: pg.Client, rounds: number) {
  const { rows } = await client.query(`
    select md5('p123')::uuid as post, md5('a3')::uuid as person, md5('s7')::uuid as site,
      (select changeset_id from audit_log where not is_head order by id desc limit 1) as changeset,
      (select at from audit_log order by id offset (select count(*) / 3 from audit_log) limit 1) as at`)
  const { post, person, site, changeset, at } = rows[0]
  const day = new Date(at.getTime() + 86_400_000)
  const searches: Record<string, Record<string, string>> = {
    'no filter': {},
    site: { site },
    'the id of a post': { subject: post },
    'a slug': { subject: 'how-to-write-number-123' },
    'words of many': { subject: 'how paint' },
    'no such word': { subject: 'elephant' },
    'part of a name': { actor: 'son-3' },
    'part of all names': { actor: 'person' },
    'an operator': { actorId: person },
    'a noun': { action: 'post' },
    'a rare action': { action: 'key.revoked' },
    'no such action': { action: 'sitemap' },
    'a day long ago': { since: at.toISOString(), until: day.toISOString() },
    'a rare action of a person in a site': { action: 'key.revoked', actor: 'person-3', site },
    'a day long ago, of a person': { since: at.toISOString(), until: day.toISOString(), actorId: person },
    'a changeset': { changesetId: changeset },
  }
  const table = []
  for (const per of ['changeset', 'entry']) {
    for (const [name, { site: ofSite, ...filter }] of Object.entries(searches)) {
      const times: number[] = []
      let items = 0
      for (let round = 0; round < rounds; round++) {
        const started = performance.now()
        const query = { per, limit: 50, ...filter }
        const page = ofSite
          ? await service.manage('GET /sites/{siteId}/audit-log', [ofSite], { query })
          : await service.manage('GET /audit-log', [], { query })
        times.push(performance.now() - started)
        items = page.items.length
      }
      const sorted = times.toSorted((a, b) => a - b)
      const [p50, max] = [sorted[Math.floor(rounds / 2)]!, sorted.at(-1)!]
      table.push({ search: name, per, rows: items, 'p50 ms': p50.toFixed(1), 'max ms': max.toFixed(1) })
    }
  }
  console.table(table)
}

const INSERT = `
  insert into audit_log (site_id, action, resource_id, subject, title, after)
  select md5('s1')::uuid, $1, md5('p' || n)::uuid, 'how-to-write-number-' || n, case when $2 then 'How to write number ' || n end,
    jsonb_strip_nulls(jsonb_build_object('status', 'published', 'published_at', now()))
  from generate_series(1, 1000) n`

/** The time of 1,000 entries in one statement, with and without the trigger and indexes for acts and searches. */
export async function timeEntries(client: pg.Client, rounds: number): Promise<void> {
  const measure = async (action: string, isNamed: boolean) => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await client.query('begin')
      const started = performance.now()
      await client.query(INSERT, [action, isNamed])
      times.push(performance.now() - started)
      await client.query('rollback')
    }
    return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!.toFixed(1)
  }
  const measureBoth = async () => [await measure('post.rebuilt', false), await measure('post.created', true)]
  const [rebuilt, created] = await measureBoth()
  const { rows } = await client.query(`
    select indexname from pg_indexes where tablename = 'audit_log' and indexname similar to '%(newest|titles)%'`)
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`)
  await client.query('drop trigger audit_log_changesets on audit_log')
  await client.query('create index on audit_log (site_id, id)')
  await client.query('create index on audit_log (resource_id, id)')
  const [rebuiltBefore, createdBefore] = await measureBoth()
  console.table([
    { '1,000 entries': 'rebuilt posts', 'without acts ms': rebuiltBefore, ms: rebuilt },
    { '1,000 entries': 'created posts, with titles', 'without acts ms': createdBefore, ms: created },
  ])
}
