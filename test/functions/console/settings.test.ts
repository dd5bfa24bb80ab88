import { describe, expect, it } from 'vitest'
import { outOfTime } from '../../support/clock.ts'
import {
  browse,
  chooseIn,
  errorBeside,
  filledIn,
  openedIn,
  unsigned,
  wordsOf,
} from '../../support/console.ts'
import { putAll } from '../../support/content.ts'
import { makeSite, manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const SETTINGS = {
  name: 'Test',
  domain: 'site.example.com',
  defaultLanguage: 'en',
  postPath: '/blog/{slug}',
  guidePath: '/guides/{slug}',
  plan: 'free',
  dailyQuota: '',
}

async function withSettings(fields: Record<string, unknown> = {}) {
  const site = await makeSite(fields)
  const { at, open, submit } = await browse(site, '/settings')
  return { site, at, open, submit, stored: () => manage('GET', `/sites/${site.id}`) }
}

describe('settings', () => {
  it("show the site's values, and are saved field by field", async () => {
    const { at, open, submit, stored } = await withSettings({
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
    const form = { ...SETTINGS, name: 'Renamed', postPath: '/p/{slug}.html', plan: 'scale' }
    const { status, location, words } = await submit('', form)
    expect([status, unsigned(location)]).toEqual([303, `${at()}?done=saved`])
    expect(words).toContain('Settings saved.')
    expect(await stored()).toMatchObject({
      name: 'Renamed',
      postPath: '/p/{slug}.html',
      plan: 'scale',
      dailyQuota: null,
      trainingOptIn: false,
    })
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

  it('keep other fields that another tab has saved meanwhile, also after an error', async () => {
    const { open, submit, stored } = await withSettings()
    const opened = openedIn(await open())
    await submit('', { ...SETTINGS, plan: 'growth', trainingOptIn: 'on', opened })
    const refused = await submit('', { ...SETTINGS, domain: 'x', opened })
    const form = { ...SETTINGS, domain: 'other.example.com', opened: openedIn(refused) }
    expect((await submit('', form)).status).toBe(303)
    expect(await stored()).toMatchObject({
      domain: 'other.example.com',
      plan: 'growth',
      trainingOptIn: true,
    })
  })

  it('that two tabs have changed are both shown, and the chosen one is saved', async () => {
    const { open, submit, stored } = await withSettings()
    const opened = openedIn(await open())
    const theirs = { ...SETTINGS, name: 'Theirs "<b>', trainingOptIn: 'on', plan: 'growth', opened }
    expect((await submit('', theirs)).status).toBe(303)
    const question = await submit('', { ...SETTINGS, name: 'Mine', plan: 'scale', dailyQuota: '9', opened })
    expect(question.status).toBe(409)
    expect(question.words).toMatch(
      /Nothing is saved yet.* Name Saved version Theirs "<b> Your version Mine Plan Saved version Growth: .* Your version Scale: /,
    )
    expect(await stored()).toMatchObject({ name: 'Theirs "<b>', dailyQuota: null })
    const { action, fields } = chooseIn(question, { name: 0, plan: 1 })
    expect((await submit(action, fields)).status).toBe(303)
    expect(await stored()).toMatchObject({
      name: 'Theirs "<b>',
      plan: 'scale',
      dailyQuota: 9,
      trainingOptIn: true,
    })
  })

  it('that somebody else changes between the check and the write are not overwritten', async () => {
    const { open, submit, stored } = await withSettings()
    const opened = openedIn(await open())
    const names = Array.from({ length: 8 }, (_, n) => `Name ${n}`)
    const answers = await Promise.all(names.map((name) => submit('', { ...SETTINGS, name, opened })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(409)])
    const saved = names[answers.findIndex(({ status }) => status === 303)]
    expect(await stored()).toMatchObject({ name: saved })
  })

  it('can be saved when the name would be invalid today, as long as it stays unchanged', async () => {
    const { site, open, submit, stored } = await withSettings()
    const name = 'Old\u200b name'
    await runSql('update sites set name = $2 where id = $1', [site.id, name])
    const form = { ...SETTINGS, name, opened: openedIn(await open()) }
    expect((await submit('', { ...form, plan: 'growth' })).status).toBe(303)
    expect(await stored()).toMatchObject({ name, plan: 'growth' })
    const refused = await submit('', { ...form, name: `${name}x` })
    expect(errorBeside('name', refused)).toBe('Name must not contain invisible characters.')
  })
})

describe('old URLs in posts', () => {
  it('are counted after the domain was changed, and renewed by the button', async () => {
    const { site, at, open, submit } = await withSettings()
    await putAll(site, [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }])
    expect(wordsOf(await open())).not.toContain('Old URLs')
    const { words, page } = await submit('', { ...SETTINGS, domain: 'new.example.com' })
    expect(words).toContain('3 posts still have an old URL in schemaBundle')
    const done = await submit(/action="([^"]+rebuilds)"/.exec(page.text)![1]!)
    expect([done.status, unsigned(done.location)]).toEqual([303, `${at()}?rebuilt=3`])
    expect(done.words).toContain('3 posts updated to the new URLs.')
    expect(done.words).not.toContain('still')
    expect(await site.json('/posts/b')).toMatchObject({
      schemaBundle: { article: { url: 'https://new.example.com/blog/b' } },
    })
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
