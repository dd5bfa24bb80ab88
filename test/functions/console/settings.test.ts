import { describe, expect, it } from 'vitest'
import { outOfTime } from '../../support/clock.ts'
import { browse, filledIn, formIn, SETTINGS_FORM, unsigned, wordsOf } from '../../support/console.ts'
import { putAll } from '../../support/content.ts'
import { makeSite, manage } from '../../support/site.ts'

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
    expect(page.text).toMatch(/<input id="trainingOptIn"[^>]* checked=""/)
    const changes = { name: 'Renamed', postPath: '/p/{slug}.html', plan: 'scale' }
    const { status, location, words } = await submit('', { ...SETTINGS_FORM, ...changes })
    expect([status, unsigned(location)]).toEqual([303, `${at()}?done=saved`])
    expect(words).toContain('Settings saved.')
    const saved = { ...changes, dailyQuota: null, trainingOptIn: false }
    expect(await site.manage('GET', '')).toMatchObject(saved)
  })

  it('are in sections with anchors, and irreversible actions are red and at the end', async () => {
    const { site, open } = await withSettings()
    await site.manage('PUT', '/sitemap', {})
    const { text } = await open()
    const anchors = [...text.matchAll(/<li><a href="#(\w+)"/g)].map(([, id]) => id!)
    expect(anchors).toEqual('general urls feeds limits training sitemap transfer alerts deletion'.split(' '))
    expect([...text.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id!)).toEqual(anchors)
    const [before, after] = text.split('<section id="deletion"')
    expect(before).not.toMatch(/class="button (takes|danger)"/)
    expect([...after!.matchAll(/class="button takes"[^>]*>([^<]+)/g)].map(([, words]) => words)).toEqual([
      'Renew URLs',
      'Stop publishing',
      'Delete site',
    ])
  })
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
