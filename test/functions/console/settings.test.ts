import { describe, expect, it } from 'vitest'
import { outOfTime } from '../../support/clock.ts'
import {
  chooseIn,
  errorBeside,
  filledIn,
  openedIn,
  signIn,
  unsigned,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { makeSite, manage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

const SETTINGS = {
  name: 'Test',
  domain: 'site.example.com',
  defaultLanguage: 'en',
  postPath: '/blog/{slug}',
  guidePath: '/guides/{slug}',
  plan: 'free',
  dailyQuota: '',
}

describe('settings', () => {
  it("show the site's values", async () => {
    const { id } = await makeSite({ dailyQuota: 7, plan: 'growth', trainingOptIn: true })
    const page = await visit(`/console/sites/${id}/settings`, { cookie: await signIn() })
    expect(filledIn('dailyQuota', page)).toBe('7')
    expect(page.text).toContain(
      '<option value="growth" selected="">Growth: 100,000 requests per day</option>',
    )
    expect(page.text).toMatch(/<input id="trainingOptIn"[^>]* checked=""/)
  })

  it('are in sections with anchors, and irreversible actions are red and at the end', async () => {
    const site = await makeSite()
    await site.manage('PUT', '/sitemap', {})
    const { text } = await visit(`/console/sites/${site.id}/settings`, { cookie: await signIn() })
    const anchors = [...text.matchAll(/<li><a href="#(\w+)"/g)].map(([, id]) => id!)
    expect(anchors).toEqual([
      'general',
      'urls',
      'feeds',
      'limits',
      'training',
      'sitemap',
      'transfer',
      'alerts',
      'deletion',
    ])
    const sections = [...text.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id!)
    expect(sections).toEqual(anchors)
    const [before, after] = text.split('<section id="deletion"')
    expect(before).not.toMatch(/class="button (takes|danger)"/)
    expect([...after!.matchAll(/class="button takes"[^>]*>([^<]+)/g)].map(([, words]) => words)).toEqual([
      'Renew URLs',
      'Stop publishing',
      'Delete site',
    ])
  })

  it('are saved field by field', async () => {
    const { id } = await makeSite({ dailyQuota: 7, trainingOptIn: true })
    const cookie = await signIn()
    const path = `/console/sites/${id}/settings`
    const form = { ...SETTINGS, name: 'Renamed', postPath: '/p/{slug}.html', plan: 'scale' }
    const answer = await visit(path, { cookie, form })
    expect([answer.status, unsigned(answer.location)]).toEqual([303, `${path}?done=saved`])
    expect(wordsOf(await visit(answer.location!, { cookie }))).toContain('Settings saved.')
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({
      name: 'Renamed',
      postPath: '/p/{slug}.html',
      plan: 'scale',
      dailyQuota: null,
      trainingOptIn: false,
    })
  })

  it('keep other fields that another tab has saved meanwhile, also after an error', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const path = `/console/sites/${id}/settings`
    const opened = openedIn(await visit(path, { cookie }))
    await visit(path, { cookie, form: { ...SETTINGS, plan: 'growth', trainingOptIn: 'on', opened } })
    const refused = await visit(path, { cookie, form: { ...SETTINGS, domain: 'x', opened } })
    const form = { ...SETTINGS, domain: 'other.example.com', opened: openedIn(refused) }
    expect((await visit(path, { cookie, form })).status).toBe(303)
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({
      domain: 'other.example.com',
      plan: 'growth',
      trainingOptIn: true,
    })
  })

  it('that two tabs have changed are both shown, and the chosen one is saved', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const path = `/console/sites/${id}/settings`
    const opened = openedIn(await visit(path, { cookie }))
    const theirs = { ...SETTINGS, name: 'Theirs "<b>', trainingOptIn: 'on', plan: 'growth', opened }
    expect((await visit(path, { cookie, form: theirs })).status).toBe(303)
    const mine = { ...SETTINGS, name: 'Mine', plan: 'scale', dailyQuota: '9', opened }
    const question = await visit(path, { cookie, form: mine })
    expect(question.status).toBe(409)
    expect(wordsOf(question)).toMatch(
      /Nothing is saved yet.* Name Saved version Theirs "<b> Your version Mine Plan Saved version Growth: .* Your version Scale: /,
    )
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name: 'Theirs "<b>', dailyQuota: null })
    const { action, fields } = chooseIn(question, { name: 0, plan: 1 })
    expect((await visit(action, { cookie, form: fields })).status).toBe(303)
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({
      name: 'Theirs "<b>',
      plan: 'scale',
      dailyQuota: 9,
      trainingOptIn: true,
    })
  })

  it('that somebody else changes between the check and the write are not overwritten', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const path = `/console/sites/${id}/settings`
    const opened = openedIn(await visit(path, { cookie }))
    const names = Array.from({ length: 8 }, (_, n) => `Name ${n}`)
    const answers = await Promise.all(
      names.map((name) => visit(path, { cookie, form: { ...SETTINGS, name, opened } })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(409)])
    const saved = names[answers.findIndex(({ status }) => status === 303)]
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name: saved })
  })

  it('can be saved when the name would be invalid today, as long as it stays unchanged', async () => {
    const { id } = await makeSite()
    const name = 'Old\u200b name'
    await runSql('update sites set name = $2 where id = $1', [id, name])
    const cookie = await signIn()
    const path = `/console/sites/${id}/settings`
    const opened = openedIn(await visit(path, { cookie }))
    const form = { ...SETTINGS, name, opened }
    expect((await visit(path, { cookie, form: { ...form, plan: 'growth' } })).status).toBe(303)
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name, plan: 'growth' })
    const refused = await visit(path, { cookie, form: { ...form, name: `${name}x` } })
    expect(errorBeside('name', refused)).toBe('Name must not contain invisible characters.')
    const emptied = await visit(path, { cookie, form: { ...form, name: '' } })
    expect(errorBeside('name', emptied)).toBe('Name is required.')
  })

  it.each([
    ['name', '', 'Name is required.'],
    ['domain', 'localhost', 'Domain must be a domain name such as example.com.'],
    ['defaultLanguage', '', 'Default language must be a language code such as en or pt-BR.'],
    ['postPath', '/blog', 'Post path must be a path that begins with one "/" and has {slug} in it once.'],
    ['guidePath', 'x{slug}', 'Guide path must be a path that begins with one "/" and has {slug} in it once.'],
    ['plan', 'gold', 'Plan must be free, starter, growth or scale.'],
    ['dailyQuota', 'many', 'Custom daily quota must be a number.'],
    ['dailyQuota', '-5', 'Custom daily quota must be at least 1.'],
    ['dailyQuota', '0', 'Custom daily quota must be at least 1.'],
    ['dailyQuota', '9999999999', 'Custom daily quota must be at most 1000000000.'],
  ])(
    'with %s %j are refused with an error at the field, and nothing is saved',
    async (field, value, words) => {
      const { id } = await makeSite()
      const form = { ...SETTINGS, name: 'Changed', [field]: value }
      const answer = await visit(`/console/sites/${id}/settings`, { cookie: await signIn(), form })
      expect(answer.status).toBe(400)
      expect(errorBeside(field, answer)).toBe(words)
      expect(filledIn('name', answer)).toBe(form.name)
      expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name: 'Test' })
    },
  )
})

describe('old URLs in posts', () => {
  const settingsOf = async (id: string, query = '') =>
    visit(`/console/sites/${id}/settings${query}`, { cookie: await signIn() })

  it('are not mentioned while there are none', async () => {
    const site = await makeSite()
    await site.put('a')
    expect(wordsOf(await settingsOf(site.id))).not.toContain('Old URLs')
  })

  it('are counted after the domain was changed, and renewed by the button', async () => {
    const site = await makeSite()
    for (let i = 0; i < 3; i++) await site.put(`post-${i}`)
    const cookie = await signIn()
    const path = `/console/sites/${site.id}/settings`
    const saved = await visit(path, { cookie, form: { ...SETTINGS, domain: 'new.example.com' } })
    const page = await visit(saved.location!, { cookie })
    expect(wordsOf(page)).toContain('3 posts still have an old URL in schemaBundle')
    const [, action] = /action="([^"]+rebuilds)"/.exec(page.text)!
    const done = await visit(action!, { cookie, form: {} })
    expect([done.status, unsigned(done.location)]).toEqual([303, `${path}?rebuilt=3`])
    const after = wordsOf(await visit(done.location!, { cookie }))
    expect(after).toContain('3 posts updated to the new URLs.')
    expect(after).not.toContain('still')
    expect(await site.json('/posts/post-1')).toMatchObject({
      schemaBundle: { article: { url: 'https://new.example.com/blog/post-1' } },
    })
  })

  it('in more posts than a request can renew are renewed by the queue, in the name of the requester', async () => {
    const site = await makeSite({ plan: 'scale' })
    for (let part = 0; part < 6; part++) {
      const posts = Array.from({ length: 100 }, (_, i) => ({
        slug: `${part}-${i}`,
        title: 'T',
        contentHtml: '<p>x</p>',
      }))
      await site.manage('PUT', '/posts', { posts })
    }
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    const cookie = await signIn()
    const path = `/console/sites/${site.id}/settings`
    const done = await outOfTime('url_component(', () =>
      visit(`${path}/schema-bundles/rebuilds`, { cookie, form: {} }),
    )
    expect(unsigned(done.location)).toBe(`${path}?rebuilt=500&more=yes`)
    expect(wordsOf(await visit(done.location!, { cookie }))).toContain(
      '500 posts updated to the new URLs. The rest follow automatically.',
    )
    await expect.poll(async () => wordsOf(await settingsOf(site.id))).not.toContain('Old URLs')
    const rebuilt = await manage('GET', `${site.path}/audit-log?action=post.rebuilt&limit=100`)
    expect(rebuilt.items.length).toBeGreaterThan(0)
    expect([...new Set(rebuilt.items.map(({ channel }) => channel))]).toEqual(['console'])
  })

  it('take one query of the page', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    expect(await callsOf(() => visit(`/console/sites/${id}/settings`, { cookie }))).toBe(3)
  })
})
