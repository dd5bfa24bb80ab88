import { beforeAll, describe, expect, it } from 'vitest'
import {
  chooseIn,
  cookieOf,
  decode,
  errorBeside,
  filledIn,
  openedIn,
  signIn,
  trySignIn,
  unsigned,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { makeSite, manage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

const PEOPLE = '/console/people'
const someName = () => `ada-${crypto.randomUUID()}`
const TOKEN = /hca_operator_[0-9A-Za-z]{38}/

let admin: string
beforeAll(async () => {
  admin = await signIn()
})

const find = async (name: string) => {
  const { items } = await manage('GET', '/operators')
  return items.find((each) => each.name === name)
}

async function add(role: string) {
  const name = someName()
  const page = await visit(PEOPLE, { cookie: admin, form: { name, role, signIn: 'token' } })
  const { id, tokens } = (await find(name))!
  return { id, name, page, tokenId: tokens[0]!.id, token: TOKEN.exec(page.text)![0] }
}

const cookieFor = async (token: string) => cookieOf(await trySignIn(token))

describe('People', () => {
  it('adds a person with a role and a token, which is shown once and signs in', async () => {
    const { id, name, page, token } = await add('viewer')
    expect(page.status).toBe(201)
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    expect(wordsOf(page)).toContain('You will not be able to see it again')
    expect((await find(name))!.role).toBe('viewer')
    expect((await visit(`${PEOPLE}/${id}`, { cookie: admin })).text).not.toContain(token)
    const cookie = await cookieFor(token)
    expect(wordsOf(await visit('/console/sites', { cookie }))).toContain(name)
  })

  it('adds one without a token, and lists both with their roles', async () => {
    const name = someName()
    const answer = await visit(PEOPLE, { cookie: admin, form: { name, role: 'editor' } })
    const { id, tokens } = (await find(name))!
    expect(answer.location).toBe(`${PEOPLE}/${id}`)
    expect(tokens).toEqual([])
    expect(wordsOf(await visit(PEOPLE, { cookie: admin }))).toContain(`${name} Editor All 0 Never`)
  })

  it.each([
    [{ name: '', role: 'viewer' }, 'name', 'Name is required.'],
    [{ name: 'x', role: 'owner' }, 'role', 'Role must be viewer, editor or admin.'],
  ])('refuses %j with an error at the field', async (form, field, problem) => {
    const page = await visit(PEOPLE, { cookie: admin, form })
    expect(page.status).toBe(400)
    expect(errorBeside(field, page)).toBe(problem)
  })

  it('refuses a name that is taken, and keeps the typed text', async () => {
    const { name } = await add('viewer')
    const page = await visit(PEOPLE, { cookie: admin, form: { name, role: 'admin' } })
    expect(errorBeside('name', page)).toBe('Name is already used by another person.')
    expect(filledIn('name', page)).toBe(name)
  })

  it('changes a role, which takes effect in sessions at once', async () => {
    const { id, name, token } = await add('viewer')
    const cookie = await cookieFor(token)
    expect((await visit('/console/sites/new', { cookie })).status).toBe(200)
    const form = { name, role: 'admin' }
    expect((await visit(PEOPLE, { cookie, form: { name: someName(), role: 'admin' } })).status).toBe(403)
    await visit(`${PEOPLE}/${id}`, { cookie: admin, form })
    expect((await visit(PEOPLE, { cookie, form: { name: someName(), role: 'viewer' } })).status).toBe(303)
  })

  it('changes the role of a person whose name would be invalid today', async () => {
    const { id } = await add('viewer')
    const name = `${someName()}\u200bx`
    await runSql('update operators set name = $2 where id = $1', [id, name])
    const opened = openedIn(await visit(`${PEOPLE}/${id}`, { cookie: admin }))
    const form = { name, role: 'editor', opened }
    expect((await visit(`${PEOPLE}/${id}`, { cookie: admin, form })).status).toBe(303)
    expect(await manage('GET', `/operators/${id}`)).toMatchObject({ name, role: 'editor' })
  })

  it('accepts as many sites as it offers', async () => {
    const [{ id, name }, site] = [await add('viewer'), await makeSite()]
    const sites = Array.from({ length: 1_000 }, (): [string, string] => ['sites', site.id])
    const answer = await visit(`${PEOPLE}/${id}`, {
      cookie: admin,
      method: 'POST',
      body: new URLSearchParams([['name', name], ['role', 'viewer'], ['reach', 'some'], ...sites]),
      headers: { Origin: 'https://api.test', 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect(answer.status).toBe(303)
  })

  it('shows both roles when two admins change one, and saves the chosen one', async () => {
    const { id, name } = await add('viewer')
    const page = `${PEOPLE}/${id}`
    const opened = openedIn(await visit(page, { cookie: admin }))
    await visit(page, { cookie: admin, form: { name, role: 'editor', opened } })
    const form = { name: `${name} L.`, role: 'admin', opened }
    const question = await visit(page, { cookie: admin, form })
    expect(question.status).toBe(409)
    expect(wordsOf(question)).toMatch(/Role Saved version Editor: .* Your version Admin: /)
    const { action, fields } = chooseIn(question, { role: 0 })
    expect((await visit(action, { cookie: admin, form: fields })).status).toBe(303)
    expect(await manage('GET', `/operators/${id}`)).toMatchObject({ name: form.name, role: 'editor' })
  })

  it('asks an admin for confirmation with “This is you” before they demote or remove themselves', async () => {
    const { id, name, token } = await add('admin')
    const cookie = await cookieFor(token)
    const page = await visit(`${PEOPLE}/${id}`, { cookie })
    const form = { name, role: 'viewer', opened: openedIn(page) }
    const question = await visit(`${PEOPLE}/${id}`, { cookie, form })
    expect(wordsOf(question)).toContain('Give up the admin role? This is your own account.')
    expect((await find(name))!.role).toBe('admin')
    // A change that keeps the role needs no confirmation.
    const renamed = { ...form, name: `${name} L.`, role: 'admin' }
    expect((await visit(`${PEOPLE}/${id}`, { cookie, form: renamed })).status).toBe(303)
    expect(wordsOf(await visit(`${PEOPLE}/${id}/deletion`, { cookie }))).toContain(
      'This is your own account.',
    )
    const other = await add('admin')
    expect(wordsOf(await visit(`${PEOPLE}/${other.id}/deletion`, { cookie }))).not.toContain(
      'This is your own account',
    )
    const { text } = await visit(`${PEOPLE}/${other.id}/deletion`, { cookie })
    expect(wordsOf({ text })).toContain(
      'API keys belong to their sites, so the keys that they created keep working.',
    )
    const keys = /\/console\/audit-log\?actorId=[^"]+/.exec(text)![0]
    expect((await visit(decode(keys), { cookie })).status).toBe(200)
    const hidden = question.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
    const answered = Object.fromEntries([...hidden].map(([, key, value]) => [decode(key!), decode(value!)]))
    expect((await visit(`${PEOPLE}/${id}`, { cookie, form: answered })).status).toBe(303)
    expect(await manage('GET', `/operators/${id}`)).toMatchObject({ role: 'viewer' })
  })

  it('refuses a name that looks like the first token', async () => {
    const page = await visit(PEOPLE, { cookie: admin, form: { name: 'Operator_Token', role: 'viewer' } })
    expect(page.status).toBe(400)
    expect(errorBeside('name', page)).toContain('must not be OPERATOR_TOKEN')
  })

  it('revokes a token and removes a person, which ends the sessions', async () => {
    const one = await add('viewer')
    const cookie = await cookieFor(one.token)
    const revocation = `${PEOPLE}/${one.id}/tokens/${one.tokenId}/revocation`
    expect((await visit(revocation, { cookie: admin, form: {} })).status).toBe(303)
    expect((await visit('/console/sites', { cookie })).location).toMatch(/sign-in/)
    const other = await add('viewer')
    const second = await cookieFor(other.token)
    expect(wordsOf(await visit(`${PEOPLE}/${other.id}/deletion`, { cookie: admin }))).toContain(
      `Remove ${other.name}?`,
    )
    await visit(`${PEOPLE}/${other.id}/deletion`, { cookie: admin, form: {} })
    expect((await visit('/console/sites', { cookie: second })).location).toMatch(/sign-in/)
    expect(await find(other.name)).toBeUndefined()
  })

  it('lets everybody create and revoke their own tokens, and nobody else’s', async () => {
    const viewer = await add('viewer')
    const cookie = await cookieFor(viewer.token)
    const other = await add('viewer')
    const own = await visit(`${PEOPLE}/${viewer.id}/tokens`, { cookie, form: {} })
    expect(own.text).toMatch(TOKEN)
    expect((await visit(`${PEOPLE}/${other.id}/tokens`, { cookie, form: {} })).status).toBe(403)
    const page = await visit(`${PEOPLE}/${other.id}`, { cookie })
    expect(page.text).not.toContain('New token')
    expect(page.text).not.toContain('Revoke')
  })

  it('creates one token when the page that shows it is reloaded', async () => {
    const { id } = await add('viewer')
    const page = await visit(`${PEOPLE}/${id}`, { cookie: admin })
    const form = { id: /name="id" value="([^"]+)"/.exec(page.text)![1]! }
    const first = await visit(`${PEOPLE}/${id}/tokens`, { cookie: admin, form })
    expect(first.text).toMatch(TOKEN)
    const again = await visit(`${PEOPLE}/${id}/tokens`, { cookie: admin, form })
    expect([again.status, unsigned(again.location)]).toEqual([303, `${PEOPLE}/${id}?done=created`])
    expect(wordsOf(await visit(again.location!, { cookie: admin }))).toContain('so there is no second one')
    expect((await manage('GET', `/operators/${id}`)).tokens).toHaveLength(2)
  })

  it('keeps a field that somebody else has saved meanwhile', async () => {
    const { id, name } = await add('viewer')
    const opened = openedIn(await visit(`${PEOPLE}/${id}`, { cookie: admin }))
    await manage('PATCH', `/operators/${id}`, { role: 'editor' })
    const form = { name: `${name} Lovelace`, role: 'viewer', opened }
    expect((await visit(`${PEOPLE}/${id}`, { cookie: admin, form })).status).toBe(303)
    expect(await manage('GET', `/operators/${id}`)).toMatchObject({
      name: `${name} Lovelace`,
      role: 'editor',
    })
  })

  it.each(['\u202e', '\u200b', '\u0007', '\u2028', '\u034f', '\ufe0f', '\u3164', '\u2800'])(
    'refuses a name with the invisible %j',
    async (invisible) => {
      const name = someName()
      const page = await visit(PEOPLE, {
        cookie: admin,
        form: { name: `${name}${invisible}x`, role: 'viewer' },
      })
      expect(errorBeside('name', page)).toBe('Name must not contain invisible characters.')
    },
  )

  it('is 404 for an unknown person or token', async () => {
    const { id } = await add('viewer')
    for (const path of ['/x', `/${crypto.randomUUID()}`, `/${crypto.randomUUID()}/deletion`])
      expect((await visit(PEOPLE + path, { cookie: admin })).status).toBe(404)
    for (const path of [
      '/x/tokens',
      `/${id}/tokens/x/revocation`,
      `/${id}/tokens/${crypto.randomUUID()}/revocation`,
    ])
      expect((await visit(PEOPLE + path, { cookie: admin, form: {} })).status).toBe(404)
  })
})

describe('the audit log', () => {
  it('shows who revoked a key, for its site and for the workspace', async () => {
    const site = await makeSite({ name: `Site ${crypto.randomUUID()}` })
    const { name, token } = await add('admin')
    const cookie = await cookieFor(token)
    const revocation = `/console${site.path}/keys/${site.keyId}/revocation`
    await visit(revocation, { cookie, form: {}, headers: { 'CF-Connecting-IP': '203.0.113.5' } })
    const ofSite = await visit(`/console${site.path}/audit-log?action=key`, { cookie: admin })
    expect(wordsOf(ofSite)).toMatch(
      new RegExp(`Revoked key test revokedAt: .+ UTC ${name} Console 203.0.113.5`),
    )
    const { id } = (await find(name))!
    await manage('PATCH', `/operators/${id}`, { name: `renamed-${name}` })
    // By id, since the name may have changed.
    const query = new URLSearchParams({ actorId: id, action: 'key' })
    const words = wordsOf(await visit(`/console/audit-log?${query}`, { cookie: admin }))
    expect(words).toContain('Revoked key test')
    expect(words).toContain(`Showing only changes by ${name}.`)
  })

  it('has no labels for actions that do not exist', async () => {
    const log = await visit('/console/audit-log?action=constructor.x', { cookie: admin })
    expect(wordsOf(log)).toContain('X constructor')
    expect((await visit(`${PEOPLE}?done=constructor`, { cookie: admin })).text).not.toContain('class="notice')
  })

  it('fills its form with the filters of a link', async () => {
    const { id } = (await find((await add('viewer')).name))!
    const page = await visit(`/console/audit-log?actorId=${id}&action=key.revoked`, { cookie: admin })
    expect(page.text).toContain(`<input type="hidden" name="actorId" value="${id}"`)
    expect(page.text).toMatch(/<option value="key\.revoked" selected[^>]*>Revoked key</)
  })

  it('groups entries of one request in a row that opens to them, and pages keep the filter', async () => {
    const site = await makeSite()
    const posts = Array.from({ length: 60 }, (_, i) => ({
      slug: `p${i}`,
      title: `Title ${i}`,
      contentHtml: '<p>x</p>',
    }))
    await site.manage('PUT', '/posts', { posts })
    const linkIn = ({ text }: { text: string }, pattern: RegExp) =>
      pattern.exec(text)![1]!.replaceAll('&amp;', '&')
    const list = await visit(`/console${site.path}/audit-log?action=post`, { cookie: admin })
    expect(wordsOf(list)).toContain('Created 60 posts')
    expect(list.text.match(/<tr /g)).toHaveLength(2)
    const first = await visit(linkIn(list, /href="([^"]*)">Created 60 posts/), { cookie: admin })
    expect(wordsOf(first)).toContain('Showing a single change: Created 60 posts')
    expect(first.text).toContain(`href="/console${site.path}/content/posts/p59"`)
    const next = linkIn(first, /href="([^"]*cursor=[^"]+)"/)
    expect(next).toContain('changesetId=')
    expect(wordsOf(await visit(next, { cookie: admin })).match(/Created post/g)).toHaveLength(10)
  })

  it('finds a deleted post by its title, and links to resources that still exist', async () => {
    const site = await makeSite()
    await site.put('gone', { title: 'A vanished title' })
    await site.put('there', { title: 'A lasting title' })
    await site.manage('PUT', '/posts/there/slug', { slug: 'elsewhere' })
    await site.manage('DELETE', '/posts/gone')
    const search = (subject: string) =>
      visit(`/console${site.path}/audit-log?subject=${encodeURIComponent(subject)}`, { cookie: admin })
    const gone = await search('vanished')
    expect(wordsOf(gone)).toMatch(/Deleted post gone A vanished title .* Created post gone A vanished title/)
    expect(gone.text).not.toContain('/content/posts/gone')
    const there = await search('lasting')
    expect(there.text).toContain(
      `<a href="/console${site.path}/content/posts/elsewhere"><code class="slug" dir="auto">there`,
    )
    expect((await search(site.keyId)).text).toContain(`href="/console${site.path}/api#keys"`)
  })

  it('has shortcuts for common days, in UTC without a script', async () => {
    const { text } = await visit('/console/audit-log?action=post', { cookie: admin })
    const [, query] = /href="\/console\/audit-log\?([^"]*)" data-day="-1"/.exec(text)!
    const { since, until, action } = Object.fromEntries(new URLSearchParams(query!.replaceAll('&amp;', '&')))
    expect(action).toBe('post')
    expect([since, until].map((at) => at!.slice(10))).toEqual(['T00:00:00.000Z', 'T00:00:00.000Z'])
    expect(Date.parse(until!) - Date.parse(since!)).toBe(86_400_000)
    const day = await visit(`/console/audit-log?since=${since}&until=${until}`, { cookie: admin })
    expect(day.text).toMatch(/data-day="-1" aria-current="true"/)
  })

  it('explains an invalid time', async () => {
    const page = await visit('/console/audit-log?since=x', { cookie: admin })
    expect(page.status).toBe(400)
    expect(errorBeside('since', page)).toBe('From must be an RFC 3339 date-time with offset.')
    expect(filledIn('since', page)).toBe('x')
    expect(wordsOf(page)).not.toMatch(/Nothing (was|found)/)
  })

  it('filters by times in UTC, as the fields send them without a script', async () => {
    const site = await makeSite()
    const at = async (query: string) => visit(`/console${site.path}/audit-log?${query}`, { cookie: admin })
    const found = await at('since=2020-01-31T10:00&until=2999-01-01T00:00:30')
    expect(wordsOf(found)).toContain('Created site')
    expect([filledIn('since', found), filledIn('until', found)]).toEqual([
      '2020-01-31T10:00',
      '2999-01-01T00:00:30',
    ])
    expect(wordsOf(await at('since=2999-01-01T00:00'))).toContain('Nothing found')
  })

  it('takes at most three calls to Postgres per page, and so does People', async () => {
    const site = await makeSite()
    for (const path of [`/console${site.path}/audit-log`, '/console/audit-log', PEOPLE])
      expect(await callsOf(() => visit(path, { cookie: admin }))).toBeLessThanOrEqual(3)
  })
})
