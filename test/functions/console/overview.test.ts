import { describe, expect, it, vi } from 'vitest'
import { createContext } from '../../../functions/http/context.ts'
import { sweep } from '../../../src/jobs.ts'
import { browse, cookieOf, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { makeKey } from '../../support/content.ts'
import { bindings, NO_EXECUTION, patientRedis } from '../../support/context.ts'
import { makeSite, manage, type TestSite } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

const AWAY = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }

const pathOf = (site: { id: string }) => `/console/sites/${site.id}/overview`
const overviewOf = async (site: { id: string }, world: Record<string, string> = {}) =>
  (await browse(site)).open('/overview', { world })

async function linesOf(site: { id: string }, world: Record<string, string> = {}) {
  const { text } = await overviewOf(site, world)
  const list = /<ul class="issues">[\s\S]*?<\/ul>/.exec(text)?.[0] ?? ''
  return [...list.matchAll(/<li[\s\S]*?<\/li>/g)].map(([line]) => ({
    words: wordsOf({ text: line }).replace(/ ([.,:])/g, '$1'),
    to: /<a href="([^"]*)">/.exec(line)![1]!.replace(`/console/sites/${site.id}`, ''),
  }))
}

/** Events of a draft that failed this many days ago; `arrived` with a successful attempt since. */
async function fail(site: TestSite, days: number, { arrived = false, event = 'article.ready' } = {}) {
  await runSql(
    `with e as (
       insert into webhook_events (site_id, endpoint_id, event, payload, state, created_at, finished_at)
       values ($1, $1, $3, '{}', $4, now() - make_interval(days => $2), now() - make_interval(days => $2)) returning id
     )
     insert into webhook_deliveries (event_id, site_id, url, error, attempted_at)
     select id, $1, 'https://cms.example.org', 'timeout', now() - make_interval(days => $2) from e`,
    [site.id, days, event, arrived ? 'delivered' : 'failed'],
  )
}

/** A viewer of these sites alone. */
async function signInTo(sites: { id: string }[]) {
  const viewer = { name: crypto.randomUUID(), role: 'viewer', sites: sites.map(({ id }) => id) }
  const { id } = await manage('POST', '/operators', viewer)
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  return cookieOf(await trySignIn(token))
}

describe('the overview of a site', () => {
  it('has posts, requests and the newest changes, and says nothing where nothing needs attention', async () => {
    const site = await makeSite({ dailyQuota: 10 })
    await site.put('a', { status: 'published' })
    await site.get('/posts')
    const words = wordsOf(await overviewOf(site))
    expect(words).not.toContain('attention')
    expect(words).toContain('Published posts 1 0 drafts Requests today 1 of 10')
    expect(words).toMatch(
      /Recent changes All changes Entries Change When OT OPERATOR_TOKEN created “ .* ” .* UTC$/,
    )
    expect(await linesOf(site)).toEqual([])
  })

  it('has the first steps until there are posts and a key', async () => {
    const site = await makeSite()
    await runSql('delete from api_keys where site_id = $1', [site.id])
    const page = await overviewOf(site)
    expect(wordsOf(page)).toMatch(
      /First steps Write or import .* New post Import Read .* New key Notify .* Add webhook/,
    )
    for (const step of ['content/new/posts', 'settings/transfer', 'keys/new', 'integrations/webhook'])
      expect((await (await browse(site)).open(`/${step}`)).status).toBe(200)
    const viewer = await visit(pathOf(site), { cookie: await signInTo([site]) })
    expect(wordsOf(viewer)).toContain('No posts yet. An editor can write or import them.')
    await site.put('a')
    await makeKey(site, { access: 'sitemap' })
    expect(wordsOf(await overviewOf(site))).toMatch(/1 draft .* Next steps Read .* New key Notify/)
    await makeKey(site)
    expect(wordsOf(await overviewOf(site))).not.toContain('Next steps')
  })

  it('reports failures, but not those that were delivered since', async () => {
    const site = await makeSite()
    for (const days of [0, 5, 8]) await fail(site, days)
    await fail(site, 0, { arrived: true })
    await fail(site, 0, { event: 'webhook.test' })
    expect(await linesOf(site)).toEqual([
      {
        words: '2 deliveries from the last 7 days failed. View deliveries',
        to: expect.stringMatching(/\?outcome=not_arrived/),
      },
    ])
    const quiet = await makeSite()
    await fail(quiet, 0, { arrived: true })
    expect(await linesOf(quiet)).toEqual([])
  })

  it('says "or more" where counting stops', async () => {
    const site = await makeSite()
    await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, payload, state, finished_at)
       select $1, $1, 'article.ready', '{}', 'failed', now() from generate_series(1, 120)`,
      [site.id],
    )
    expect((await linesOf(site))[0]!.words).toBe(
      '100 or more deliveries from the last 7 days failed. View deliveries',
    )
  })

  it('reports quotas, webhooks, alerts, keys and drafts, the worst first', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    for (let times = 0; times < 4; times++) await site.get('/posts')
    await site.put('a', { trustScore: 90 })
    await site.manage('PUT', '/posts/a/readiness', {})
    for (const slug of ['late', 'due', 'asked']) await site.put(slug)
    await site.manage('PUT', '/posts/due/publication-schedule', { publishAt: tomorrow })
    await site.manage('PUT', '/posts/asked/change-request', { note: 'A source is missing.' })
    await makeKey(site, { name: '<b>CMS</b>', expiresAt: tomorrow })
    await makeKey(site, { name: 'Late', expiresAt: new Date(Date.now() + 15 * 86_400_000).toISOString() })
    await runSql(
      `with w as (insert into webhook_endpoints (id, site_id, name, url, secret) values ($1, $1, 'Search', 'https://a.example/', '')),
         s as (insert into webhook_streaks (endpoint_id, site_id, failures) values ($1, $1, 4)),
         a as (insert into alerts (site_id, kind, details, state) values ($1, 'webhook_failing',
           '{"url": "https://a.example/", "failures": 4}', 'failed'))
       update posts set ready_at = case slug when 'a' then now() - interval '3 days 1 hour' end where site_id = $1`,
      [site.id],
    )
    const lines = [
      { words: 'Search is failing (4 in a row). Send a test', to: '/integrations' },
      {
        words: '1 scheduled draft was not published on time and is 1 hour late. View drafts',
        to: '/content?status=scheduled',
      },
      { words: "80% of today's quota is used. View usage", to: '/usage' },
      {
        words: '1 alert from the last 7 days could not be sent to all recipients. View alerts',
        to: '/settings/alerts',
      },
      { words: 'The key “<b>CMS</b>” expires tomorrow. View keys', to: '/api#keys' },
      {
        words: '1 draft is ready for review and has been waiting for 3 days. Review',
        to: '/content?status=ready',
      },
      { words: 'Changes are requested on 1 post. View posts', to: '/content?status=changes' },
    ]
    // Another test's sweep may publish the late draft before it is seen.
    await vi.waitFor(async () => {
      await runSql(
        `update posts set status = 'draft', published_at = null, publish_at = now() - interval '1 hour'
         where site_id = $1 and slug = 'late'`,
        [site.id],
      )
      expect(await linesOf(site)).toEqual(lines)
    }, 10_000)
    await site.get('/posts')
    expect((await linesOf(site))[1]!.words).toContain("Today's quota is used up")
    const isFound = await overviewOf(site, AWAY)
    expect(wordsOf(isFound)).toContain("today's usage is unknown")
    expect(wordsOf(isFound)).not.toContain('used up')
  })

  it('names every webhook that keeps failing, with the failed deliveries', async () => {
    const site = await makeSite()
    await fail(site, 0)
    await runSql(
      `with w as (insert into webhook_endpoints (id, site_id, name, url, secret)
           select gen_random_uuid(), $1, name, 'https://a.example/', '' from unnest(array['Search', 'CMS']) as name
           returning id, name)
       insert into webhook_streaks (endpoint_id, site_id, failures)
       select id, $1, case name when 'Search' then 1641 else 3 end from w`,
      [site.id],
    )
    expect((await linesOf(site)).map(({ words }) => words)).toEqual([
      'Search and CMS are failing (up to 1,641 in a row). View deliveries',
    ])
  })
})

describe('the overview of all sites', () => {
  it('is the page at /console, and has the lines of each site under its name, and the newest changes, with two queries', async () => {
    const name = crypto.randomUUID()
    const site = await makeSite({ name })
    await fail(site, 0)
    const cookie = await signInTo([site])
    expect((await visit('/console', { cookie })).location).toBe('/console/overview')
    const page = await visit('/console/overview', { cookie })
    expect(wordsOf(page)).toContain(`${name} 1 delivery from the last 7 days failed.`)
    expect(page.text).toContain(`href="${pathOf(site)}"`)
    expect(wordsOf(page)).toMatch(/Sites \d[\d,]* Published posts [\d,]+ Drafts [\d,]+ Requests today/)
    await site.put('roses', { title: `Roses in ${name}` })
    const words = wordsOf(await visit('/console/overview', { cookie }))
    expect(words).toMatch(new RegExp(`OPERATOR_TOKEN created “ Roses in ${name} ” ${name} [^”]* UTC`))
    expect(await callsOf(() => visit('/console/overview', { cookie }))).toBe(3)
  })

  it('has one line for a trouble of many sites, and links to as many as it counts', async () => {
    const names = Array.from({ length: 4 }, () => crypto.randomUUID())
    const sites = await Promise.all(names.map((name) => makeSite({ name })))
    for (const site of sites) await fail(site, 0)
    await runSql(
      `insert into webhook_streaks (endpoint_id, site_id, failures) select gen_random_uuid(), id, 3 from sites where id = any($1)`,
      [sites.map(({ id }) => id)],
    )
    await sites[0]!.put('a', { trustScore: 90 })
    await sites[0]!.manage('PUT', '/posts/a/readiness', {})
    const cookie = await signInTo(sites)
    const page = await visit('/console/overview', { cookie })
    expect(wordsOf(page)).toMatch(/Needs attention 4 sites 4 sites Failed deliveries View sites/)
    expect(wordsOf(page)).toContain(`${names[0]} 1 draft is ready for review.`)
    expect(page.text).not.toContain('from the last 7 days failed')
    expect(wordsOf(page)).not.toContain('Webhooks that keep failing')
    for (const [trouble, count] of [
      ['any', 4],
      ['failing', 4],
      ['ready', 1],
    ] as const) {
      const list = await visit(`/console/sites?trouble=${trouble}`, { cookie })
      expect(names.filter((name) => list.text.includes(`>${name}<`))).toHaveLength(count)
    }
  })
})

describe('the list of sites', () => {
  const namesOf = async (word: string, query: string) => {
    const cookie = await signIn()
    const page = await visit(`/console/sites?search=${word}&${query}`, { cookie })
    return {
      names: [...page.text.matchAll(new RegExp(`>(\\w+) ${word}<`, 'g'))].map(([, name]) => name),
      page,
    }
  }

  it('has the worst first, with any order and filter, and counts those with problems', async () => {
    const word = crypto.randomUUID()
    const [bad, soon, waits, busy] = [
      await makeSite({ name: `Bad ${word}` }),
      await makeSite({ name: `Soon ${word}`, dailyQuota: 5 }),
      await makeSite({ name: `Waits ${word}` }),
      await makeSite({ name: `Anna ${word}`, dailyQuota: 10 }),
      await makeSite({ name: `Calm ${word}` }),
    ]
    await fail(bad, 0)
    for (let times = 0; times < 4; times++) await soon.get('/posts')
    for (let times = 0; times < 2; times++) await busy.get('/posts')
    await waits.put('a', { trustScore: 90 })
    await waits.put('b', { status: 'published' })
    await busy.put('a')
    await waits.manage('PUT', '/posts/a/readiness', {})
    const { names, page } = await namesOf(word, '')
    expect(names).toEqual(['Bad', 'Soon', 'Waits', 'Anna', 'Calm'])
    expect(wordsOf(page)).toContain('5 sites, 3 need attention')
    expect((await namesOf(word, 'sort=name')).names).toEqual(['Anna', 'Bad', 'Calm', 'Soon', 'Waits'])
    expect((await namesOf(word, 'sort=newest')).names).toEqual(['Calm', 'Anna', 'Waits', 'Soon', 'Bad'])
    expect((await namesOf(word, 'sort=posts')).names.slice(0, 2)).toEqual(['Waits', 'Anna'])
    expect((await namesOf(word, 'sort=quota')).names.slice(0, 2)).toEqual(['Soon', 'Anna'])
    const troubled = await namesOf(word, 'trouble=any')
    expect(troubled.names).toEqual(['Bad', 'Soon', 'Waits'])
    expect(wordsOf(troubled.page)).toContain('3 of 5 sites')
    expect((await namesOf(word, 'trouble=ready')).names).toEqual(['Waits'])
    expect((await namesOf(word, 'trouble=nonsense&sort=nonsense')).names).toHaveLength(5)
  })
})

it('a late cron is reported on every overview with instructions, until it runs again', async () => {
  // Own Redis keys, since the cron of other tests runs at the same time.
  const world = { REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` }
  const ctx = createContext({ ...bindings, ...world }, NO_EXECUTION, { writes: true })
  const stateKey = `${world.REDIS_PREFIX}:sweep`
  const site = await makeSite()
  const { open } = await browse(site)
  const overviews = async () => {
    const pages = ['/overview', '/console/overview'].map((path) => open(path, { world }))
    return (await Promise.all(pages)).map(wordsOf)
  }
  expect(wordsOf(await overviewOf(site, world))).not.toContain('cron job')
  await runSql("update sites set created_at = now() - interval '4 minutes' where id = $1", [site.id])
  for (const words of await overviews()) {
    expect(words).toContain('The cron job has not run in the last two hours, or ever.')
    expect(words).toContain('crons = ["* * * * *"]')
  }
  expect(wordsOf(await overviewOf(site, AWAY))).not.toContain('The cron job has not run')
  await sweep(ctx, new Date())
  for (const words of await overviews()) expect(words).not.toContain('The cron job has not run')
  await patientRedis().pexpire(stateKey, (await patientRedis().pttl(stateKey)) - 4 * 60_000)
  for (const words of await overviews()) expect(words).toMatch(/The cron job has not run since .*UTC/)
  const since = new Date(Date.now() - 4 * 60_000).toISOString().slice(0, 10)
  expect((await overviewOf(site, world)).text).toContain(`datetime="${since}`)
  await sweep(ctx, new Date())
  for (const words of await overviews()) expect(words).not.toContain('The cron job has not run')
})
