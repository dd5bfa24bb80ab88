import { describe, expect, it } from 'vitest'
import { outOfTime } from '../../support/clock.ts'
import {
  browse,
  filledIn,
  formIn,
  openedIn,
  PUBLISHING_FORM,
  SETTINGS_FORM,
  unsigned,
  wordsOf,
} from '../../support/console.ts'
import { putAll } from '../../support/content.ts'
import { makeSite, manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

async function withSettings(fields: Record<string, unknown> = {}) {
  const site = await makeSite(fields)
  return { site, ...(await browse(site, '/settings')) }
}

describe('settings', () => {
  it("show the site's values, and are saved field by field", async () => {
    const { site, at, open, submit } = await withSettings({
      dailyQuota: 7,
      plan: 'growth',
      trainingOptIn: true,
    })
    const page = await open()
    expect(filledIn('dailyQuota', page)).toBe('7')
    expect(page.text).toContain(
      '<option value="growth" selected="">Growth: 100,000 requests per day</option>',
    )
    const publishing = await open('/publishing')
    expect(publishing.text).toMatch(/<input id="trainingOptIn"[^>]* checked=""/)
    const changes = { name: 'Renamed', plan: 'scale' }
    const { status, location, words } = await submit('', { ...SETTINGS_FORM, ...changes })
    expect([status, unsigned(location)]).toEqual([303, `${at()}?done=saved`])
    expect(words).toContain('Settings saved.')
    expect(await site.manage('GET', '')).toMatchObject({ ...changes, dailyQuota: null })
  })

  it('of one page are saved without those of the other', async () => {
    const site = await makeSite({ dailyQuota: 7, trainingOptIn: true, previewUrl: 'https://a.example.com/' })
    const { open, submit } = await browse(site, '/settings')
    const before = await site.manage('GET', '')
    const [general, publishing] = [openedIn(await open()), openedIn(await open('/publishing'))]
    const foreign = { postPath: '/x/{slug}', name: 'Foreign', trainingOptIn: '', dailyQuota: '3' }
    const name = 'Renamed'
    const form = { ...foreign, ...SETTINGS_FORM, name, dailyQuota: '7', opened: general }
    await submit('', { ...form, domain: `https://${SETTINGS_FORM.domain}/blog/` })
    expect(await site.manage('GET', '')).toMatchObject({ ...before, name })
    const changes = { postPath: '/p/{slug}.html', feedContent: 'full', previewUrl: '' }
    const { status, location, words } = await submit('/publishing', {
      ...foreign,
      ...PUBLISHING_FORM,
      ...changes,
      opened: publishing,
    })
    expect([status, location]).toEqual([303, expect.stringContaining('/settings/publishing?done=saved')])
    expect(words).toContain('Settings saved.')
    const saved = { ...before, name, ...changes, previewUrl: null, trainingOptIn: false }
    expect(await site.manage('GET', '')).toMatchObject(saved)
  })

  it('are on five pages, each of which leads to the others', async () => {
    const { at, open } = await withSettings()
    for (const [path, sections] of [
      ['', ['quota', 'deletion']],
      ['/publishing', ['urls', 'feeds', 'training']],
      ['/sitemap', ['sitemap']],
      ['/transfer', ['import', 'export']],
      ['/alerts', []],
    ] as const) {
      const { text } = await open(path)
      const [, nav = ''] = text.match(/<nav class="kinds"[^>]*>(.*?)<\/nav>/s)!
      expect([...nav.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual(
        ['', '/publishing', '/sitemap', '/transfer', '/alerts'].map(at),
      )
      expect(nav.match(/href="([^"]+)" aria-current="page"/)![1]).toBe(at(path))
      expect([...text.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id!)).toEqual(sections)
    }
  })

  it('ask before irreversible actions, below what they are about', async () => {
    const { site, open } = await withSettings()
    await site.manage('PUT', '/sitemap', {})
    const asking = async (path: string) =>
      [...(await open(path)).text.matchAll(/href="[^"]+\/(deletion|renewal|removal)">/g)].map(
        ([, page]) => page,
      )
    expect(await asking('')).toEqual(['deletion'])
    expect(await asking('/sitemap')).toEqual(['renewal', 'removal'])
  })
})

it('alerts are listed with what failed, and whether they are still being sent', async () => {
  const { site, open } = await withSettings()
  await runSql(
    `insert into alerts (site_id, kind, endpoint_id, details, state, tries, results)
     select $1, 'webhook_failing', $1, '{"name": "Search", "url": "https://a.example/", "failures": 862}', 'sending', 1, results
     from (values ('[]'::jsonb), ('[{"target": "slack", "at": "2026-01-01T00:00:00Z", "status": 404, "error": null}]')) as r (results)`,
    [site.id],
  )
  const words = wordsOf(await open('/alerts'))
  expect(words).toContain('Search is failing 862 failed in a row Sending')
  expect(words).toMatch(/862 failed in a row Sent to Slack .*one more try in an hour/)
  expect(words.match(/one more try/g)).toHaveLength(1)
})

describe('old URLs in posts', () => {
  it('are counted after the domain was changed, and renewed by the button', async () => {
    const { site, at, open, submit } = await withSettings()
    await putAll(site, [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }])
    expect(wordsOf(await open())).not.toContain('Old URLs')
    const { words, page } = await submit('', { ...SETTINGS_FORM, domain: 'new.example.com' })
    expect(words).toContain('3 posts still have an old URL in schemaBundle')
    const done = await submit(formIn(page, '/rebuilds').action)
    expect([done.status, unsigned(done.location)]).toEqual([303, `${at()}?rebuilt=3`])
    expect(done.words).toContain('3 posts updated to the new URLs.')
    expect(done.words).not.toContain('still')
  })

  it('in more posts than a request can renew are renewed by the queue, in the name of the requester', async () => {
    const { site, at, open, submit } = await withSettings({ plan: 'scale' })
    await putAll(
      site,
      Array.from({ length: 600 }, (_, i) => ({ slug: `p-${i}` })),
    )
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    const done = await outOfTime('url_component(', () => submit('/schema-bundles/rebuilds'))
    expect(unsigned(done.location)).toBe(`${at()}?rebuilt=500&more=yes`)
    expect(done.words).toContain('500 posts updated to the new URLs. The rest follow automatically.')
    await expect.poll(async () => wordsOf(await open())).not.toContain('Old URLs')
    const rebuilt = await manage('GET', `${site.path}/audit-log?action=post.rebuilt&limit=100`)
    expect(rebuilt.items.length).toBeGreaterThan(0)
    expect([...new Set(rebuilt.items.map(({ channel }) => channel))]).toEqual(['console'])
  })
})
