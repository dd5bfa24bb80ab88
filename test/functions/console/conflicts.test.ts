/** Forms that two people save at once. The form of an article has tests of its own. */
import { describe, expect, it } from 'vitest'
import { browse, chooseIn, openedIn, PUBLISHING_FORM, SETTINGS_FORM } from '../../support/console.ts'
import { makeSite, manage, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const [OURS, THEIRS] = ['https://ours.example.com/hooks', 'https://theirs.example.com/hooks']

type Case = {
  path: string
  mine: Record<string, string>
  saveTheirs: () => Promise<unknown>
  /** The field that both changed, and both values. */
  field: string
  versions: [theirs: string, mine: string]
  question: RegExp
  stored: () => Promise<unknown>
  /** Fields that only one of them changed. */
  merged: object
}

const FORMS: Record<string, (site: TestSite) => Promise<Case>> = {
  settings: async (site) => ({
    path: '/settings',
    mine: { ...SETTINGS_FORM, name: 'Mine', dailyQuota: '9' },
    saveTheirs: () => site.manage('PATCH', '', { name: 'Theirs "<b>', plan: 'growth' }),
    field: 'name',
    versions: ['Theirs "<b>', 'Mine'],
    question:
      /OPERATOR_TOKEN changed Name while you were editing \(.* UTC ?\) ?\. Choose a version\. Your other changes are kept\. Nothing is saved yet.* Name Saved version Theirs "<b> Your version Mine/,
    stored: () => site.manage('GET', ''),
    merged: { plan: 'growth', dailyQuota: 9 },
  }),
  'publishing settings': async (site) => ({
    path: '/settings/publishing',
    mine: { ...PUBLISHING_FORM, feedContent: 'full', previewUrl: OURS },
    saveTheirs: () => site.manage('PATCH', '', { previewUrl: THEIRS, trainingOptIn: true }),
    field: 'previewUrl',
    versions: [THEIRS, OURS],
    question: new RegExp(`Preview URL Saved version ${THEIRS} Your version ${OURS}`),
    stored: () => site.manage('GET', ''),
    merged: { feedContent: 'full', trainingOptIn: true },
  }),
  'a person': async () => {
    const name = `ada-${crypto.randomUUID()}`
    const { id } = await manage('POST', '/operators', { name, role: 'viewer' })
    return {
      path: `/console/people/${id}`,
      mine: { name: `${name} L.`, role: 'admin' },
      saveTheirs: () => manage('PATCH', `/operators/${id}`, { role: 'editor' }),
      field: 'role',
      versions: ['editor', 'admin'],
      question: /OPERATOR_TOKEN changed Role .*Role Saved version Editor Your version Admin /,
      stored: () => manage('GET', `/operators/${id}`),
      merged: { name: `${name} L.` },
    }
  },
  'a webhook': async (site) => ({
    path: '/integrations/webhook',
    mine: { new: '1', url: OURS, 'post.updated': 'on' },
    saveTheirs: () => site.manage('PUT', '/webhook', { url: THEIRS, events: ['post.deleted'] }),
    field: 'url',
    versions: [THEIRS, OURS],
    question: new RegExp(`URL Saved version ${THEIRS} Your version ${OURS}`),
    stored: () => site.manage('GET', '/webhook'),
    merged: { events: ['post.updated', 'post.deleted'] },
  }),
  'a redirect': async (site) => ({
    path: '/content/redirects/new',
    mine: { from: '/old/', to: '/mine' },
    saveTheirs: () => site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/theirs' }] }),
    field: 'to',
    versions: ['/theirs', '/mine'],
    question:
      /already redirects elsewhere OPERATOR_TOKEN changed .* Saved version \/theirs Your version \/mine/,
    stored: async () => (await site.manage('GET', '/redirects')).items[0],
    merged: { from: '/old' },
  }),
}

describe.each(Object.entries(FORMS))('the form of %s', (_, prepare) => {
  it('shows both versions of a field that somebody else changed, saves the chosen one, and keeps other fields', async () => {
    const site = await makeSite()
    const { open, submit } = await browse(site)
    const { path, mine, saveTheirs, field, versions, question, stored, merged } = await prepare(site)
    const opened = openedIn(await open(path))
    await saveTheirs()
    const asked = await submit(path, { ...mine, opened })
    expect([asked.status, asked.words]).toEqual([409, expect.stringMatching(question)])
    expect(await stored()).toMatchObject({ [field]: versions[0] })
    for (const choice of [0, 1] as const) {
      const { action, fields } = chooseIn(asked, { [field]: choice })
      expect((await submit(action, fields)).status).toBe(303)
      expect(await stored()).toMatchObject({ ...merged, [field]: versions[choice] })
    }
  })
})

describe('settings', () => {
  it('keep fields that another tab has saved meanwhile, also after an error', async () => {
    const site = await makeSite()
    const { open, submit } = await browse(site, '/settings')
    const opened = openedIn(await open())
    await submit('', { ...SETTINGS_FORM, plan: 'growth', dailyQuota: '9', opened })
    const refused = await submit('', { ...SETTINGS_FORM, domain: 'x', opened })
    const form = { ...SETTINGS_FORM, domain: 'other.example.com', opened: openedIn(refused) }
    expect((await submit('', form)).status).toBe(303)
    const merged = { domain: 'other.example.com', plan: 'growth', dailyQuota: 9 }
    expect(await site.manage('GET', '')).toMatchObject(merged)
  })

  it('that somebody else changes between the check and the write are not overwritten', async () => {
    const site = await makeSite()
    const { open, submit } = await browse(site, '/settings')
    const opened = openedIn(await open())
    const names = Array.from({ length: 8 }, (_, n) => `Name ${n}`)
    const answers = await Promise.all(names.map((name) => submit('', { ...SETTINGS_FORM, name, opened })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(409)])
    const saved = names[answers.findIndex(({ status }) => status === 303)]
    expect(await site.manage('GET', '')).toMatchObject({ name: saved })
  })
})

it('a form can be saved with a name that would be invalid today, as long as the name stays unchanged', async () => {
  const site = await makeSite()
  const person = await manage('POST', '/operators', { name: `ada-${crypto.randomUUID()}`, role: 'viewer' })
  const name = `ada-${crypto.randomUUID()}\u200bx`
  for (const [table, id] of [
    ['sites', site.id],
    ['operators', person.id],
  ])
    await runSql(`update ${table} set name = $2 where id = $1`, [id, name])
  const { open, submit } = await browse(site)
  for (const [path, form] of [
    ['/settings', { ...SETTINGS_FORM, name, plan: 'growth' }],
    [`/console/people/${person.id}`, { name, role: 'editor' }],
  ] as const) {
    const opened = openedIn(await open(path))
    expect([path, (await submit(path, { ...form, opened })).status]).toEqual([path, 303])
    expect((await submit(path, { ...form, name: `${name}x`, opened })).status).toBe(400)
  }
})

it('the form of a webhook that was removed meanwhile does not set it again', async () => {
  const site = await makeSite()
  await site.manage('PUT', '/webhook', { url: THEIRS })
  const { open, submit } = await browse(site, '/integrations/webhook')
  const opened = openedIn(await open())
  await site.manage('DELETE', '/webhook')
  expect((await submit('', { url: OURS, opened })).status).toBe(404)
})
