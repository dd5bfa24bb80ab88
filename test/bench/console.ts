/**
 * `npm run bench:console`: how long the console's pages take in a site with 10,000 posts, guides, redirects, training rows and
 * deliveries each, among 200 sites, and how many calls to Postgres each makes, on the servers of DATABASE_URL and REDIS_URL.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { cleaningUp } from './cleanups.ts'
import { startService } from './service.ts'

const { values: options } = parseArgs({
  options: { requests: { type: 'string', default: '100' }, rows: { type: 'string', default: '10000' } },
})
const [requests, rows] = [Number(options.requests), Number(options.rows)]
const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
if (!databaseUrl || !redisUrl) throw new Error('bench:console needs DATABASE_URL and REDIS_URL')

/** A tenth of the site's events failed. Half of the other events needed a second attempt. */
const FILL = `
  insert into sites (name, domain) select 'Site ' || i, 's' || i || '.example.com' from generate_series(1, 200) i;
  insert into posts (site_id, slug, title, content_html, status, quality_band, language, published_at)
    select $SITE$, 'post-' || i, 'Post ' || i || ' about ' || (array['bicycles','node 18.0.0','openssl security','winter'])[1 + i % 4],
      repeat('<p>Some words to read.</p>', 100), case when i % 3 = 0 then 'draft' else 'published' end,
      (array['premium','standard','review'])[1 + i % 3], 'en', now() from generate_series(1, $ROWS$) i;
  insert into guides (site_id, slug, title, content_html, status)
    select $SITE$, 'guide-' || i, 'Guide ' || i, '<p>Words.</p>', 'published' from generate_series(1, $ROWS$) i;
  insert into training_rows (site_id, prompt, completion, language)
    select $SITE$, 'How does one clean part ' || i || '?', 'With a rag.', 'en' from generate_series(1, $ROWS$) i;
  insert into redirects (site_id, resource, slug, target)
    select $SITE$, 'address', '/old/' || i, '/new/' || i from generate_series(1, $ROWS$) i;
  with e as (
    insert into webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload, state, created_at, finished_at)
    select site_id, site_id, 'article.ready', 'post', id, slug, '{}', case when right(slug, 1) = '7' then 'failed' else 'delivered' end,
      now() - random() * interval '80 days', now() - random() * interval '80 days' from posts where site_id = $SITE$
    returning *)
  insert into webhook_deliveries (event_id, site_id, url, status, error, duration_ms, attempted_at)
    select id, site_id, 'https://cms.example.org/hooks', case state when 'failed' then 500 else 200 end,
      case state when 'failed' then 'http_status' end, 20, created_at from e;
  analyze;`

await cleaningUp(async (cleanups) => {
  const service = await startService(cleanups, { databaseUrl, redisUrl })
  const { id: site } = await service.manage('POST /sites', [], {
    body: {
      name: 'Large',
      domain: 'large.example.com',
    },
  })
  await service.manage('PUT /sites/{siteId}/webhook', [site], {
    body: { url: 'https://cms.example.org/hooks' },
  })
  const client = new pg.Client(service.databaseUrl)
  await client.connect()
  cleanups.push(() => client.end())
  await client.query(FILL.replaceAll('$SITE$', `'${site}'::uuid`).replaceAll('$ROWS$', String(rows)))
  const one = await client.query(`select id from webhook_deliveries where error is not null limit 1`)
  const cookie = await signIn(service)
  const trips = async () => (await service.gateways.stats('postgres')).requests
  const at = `/console/sites/${site}`
  const pages = {
    overview: '/console/overview',
    'overview of the site': `${at}/overview`,
    sites: '/console/sites',
    'sites by quota': '/console/sites?sort=quota',
    'sites, searched': '/console/sites?search=site+77',
    people: '/console/people',
    'audit log': '/console/audit-log',
    'audit log of the site': `${at}/audit-log?action=post`,
    api: `${at}/api`,
    posts: `${at}/content`,
    'posts, a rare word': `${at}/content?search=post-7777`,
    'posts, common words': `${at}/content?search=node+18.0.0&band=premium`,
    'posts by title': `${at}/content?sort=title&page=150`,
    post: `${at}/content/posts/post-7777`,
    'post of a list by title': `${at}/content/posts/post-7777?list=${encodeURIComponent('/content?sort=title&status=draft')}`,
    'post of a search': `${at}/content/posts/post-7777?list=${encodeURIComponent('/content?search=node+18.0.0&sort=published')}`,
    'editing a post': `${at}/content/posts/post-7777/edit`,
    guides: `${at}/content/guides`,
    'a guide': `${at}/content/guides/guide-777`,
    redirects: `${at}/content/redirects`,
    'training rows': `${at}/content/training`,
    'training rows, a rare word': `${at}/content/training?search=7777`,
    integrations: `${at}/integrations`,
    deliveries: `${at}/integrations/deliveries`,
    'deliveries, a rare word': `${at}/integrations/deliveries?search=post-7777`,
    'deliveries, no match': `${at}/integrations/deliveries?search=nothing-like-it`,
    'deliveries not arrived': `${at}/integrations/deliveries?outcome=not_arrived`,
    delivery: `${at}/integrations/deliveries/${one.rows[0].id}`,
    'deliveries, a cause': `${at}/integrations/deliveries?outcome=not_arrived&cause=tls`,
    usage: `${at}/usage`,
    'import and export': `${at}/settings/transfer`,
    settings: `${at}/settings`,
  }
  const results = []
  for (const [name, path] of Object.entries(pages)) {
    const open = async () => {
      const response = await fetch(service.origin + path, { headers: { cookie }, redirect: 'manual' })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    }
    await open()
    const before = await trips()
    await open()
    const calls = (await trips()) - before
    const times: number[] = []
    for (let i = 0; i < requests; i++) {
      const started = performance.now()
      await open()
      times.push(performance.now() - started)
    }
    times.sort((a, b) => a - b)
    const ms = (share: number) => Number(times[Math.floor(times.length * share)]!.toFixed(1))
    results.push({ page: name, calls, 'p50 ms': ms(0.5), 'p95 ms': ms(0.95) })
  }
  console.log(`${rows} of each, 200 sites; ${requests} requests each, one after another`)
  console.table(results)
})

async function signIn({ origin, token }: { origin: string; token: string }): Promise<string> {
  const response = await fetch(`${origin}/console/sign-in`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  })
  return response.headers.getSetCookie()[0]!.split(';')[0]!
}
