import { beforeAll, describe, expect, it } from 'vitest'
import {
  chooseIn,
  cookieOf,
  decode,
  openedIn,
  signIn,
  trySignIn,
  unsigned,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { makeSite, manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const PEOPLE = '/console/people'
const TOKEN = /hca_operator_[0-9A-Za-z]{38}/
const someName = () => `ada-${crypto.randomUUID()}`

let admin: string
beforeAll(async () => {
  admin = await signIn()
})

type Form = Record<string, string> | string[][]
const open = (below = '', cookie = admin) => visit(PEOPLE + below, { cookie })
const send = (below: string, form: Form = {}, cookie = admin) => visit(PEOPLE + below, { cookie, form })
const stored = (id: string) => manage('GET', `/operators/${id}`)
const cookieFor = async (token: string) => cookieOf(await trySignIn(token))

async function add(role: string) {
  const name = someName()
  const page = await send('', { name, role, signIn: 'token' })
  const { items } = await manage('GET', '/operators')
  const { id, tokens } = items.find((each) => each.name === name)!
  return { id, name, page, tokenId: tokens[0]!.id, token: TOKEN.exec(page.text)![0] }
}

describe('People', () => {
  it('adds a person with a role and a token, which is shown once and signs in', async () => {
    const { id, name, page, token } = await add('viewer')
    expect([page.status, page.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
    expect(wordsOf(page)).toContain('You will not be able to see it again')
    expect((await open(`/${id}`)).text).not.toContain(token)
    expect(wordsOf(await visit('/console/sites', { cookie: await cookieFor(token) }))).toContain(name)
  })

  it('adds one without a token, refuses the name a second time, and lists people with their roles', async () => {
    const name = someName()
    const { location } = await send('', { name, role: 'editor' })
    expect((await stored(location!.split('/').at(-1)!)).tokens).toEqual([])
    expect(wordsOf(await open())).toContain(`${name} Editor All 0 Never`)
    const again = await send('', { name, role: 'admin' })
    expect(wordsOf(again)).toContain('Name is already used by another person.')
  })

  it('changes a role, which takes effect in sessions at once', async () => {
    const { id, name, token } = await add('viewer')
    const cookie = await cookieFor(token)
    const form = () => ({ name: someName(), role: 'viewer' })
    expect((await send('', form(), cookie)).status).toBe(403)
    await send(`/${id}`, { name, role: 'admin' })
    expect((await send('', form(), cookie)).status).toBe(303)
  })

  it('changes the role of a person whose name would be invalid today', async () => {
    const { id } = await add('viewer')
    const name = `${someName()}\u200bx`
    await runSql('update operators set name = $2 where id = $1', [id, name])
    const opened = openedIn(await open(`/${id}`))
    expect((await send(`/${id}`, { name, role: 'editor', opened })).status).toBe(303)
    expect(await stored(id)).toMatchObject({ name, role: 'editor' })
  })

  it('accepts as many sites as it offers', async () => {
    const [{ id, name }, site] = [await add('viewer'), await makeSite()]
    const sites = Array.from({ length: 1_000 }, () => ['sites', site.id])
    const form = [['name', name], ['role', 'viewer'], ['reach', 'some'], ...sites]
    expect((await send(`/${id}`, form)).status).toBe(303)
  })

  it('shows both roles when two admins change one, and saves the chosen one and the other fields', async () => {
    const { id, name } = await add('viewer')
    const opened = openedIn(await open(`/${id}`))
    await send(`/${id}`, { name, role: 'editor', opened })
    const question = await send(`/${id}`, { name: `${name} L.`, role: 'admin', opened })
    expect(question.status).toBe(409)
    expect(wordsOf(question)).toMatch(/Role Saved version Editor: .* Your version Admin: /)
    const { action, fields } = chooseIn(question, { role: 0 })
    expect((await visit(action, { cookie: admin, form: fields })).status).toBe(303)
    expect(await stored(id)).toMatchObject({ name: `${name} L.`, role: 'editor' })
  })

  it('asks an admin for confirmation with “This is you” before they demote or remove themselves', async () => {
    const { id, name, token } = await add('admin')
    const cookie = await cookieFor(token)
    const form = { name, role: 'viewer', opened: openedIn(await open(`/${id}`, cookie)) }
    const question = await send(`/${id}`, form, cookie)
    expect(wordsOf(question)).toContain('Give up the admin role? This is your own account.')
    expect((await stored(id)).role).toBe('admin')
    // A change that keeps the role needs no confirmation.
    expect((await send(`/${id}`, { ...form, name: `${name} L.`, role: 'admin' }, cookie)).status).toBe(303)
    expect(wordsOf(await open(`/${id}/deletion`, cookie))).toContain('This is your own account.')
    const hidden = question.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
    const answered = Object.fromEntries([...hidden].map(([, key, value]) => [decode(key!), decode(value!)]))
    expect((await send(`/${id}`, answered, cookie)).status).toBe(303)
    expect((await stored(id)).role).toBe('viewer')
  })

  it('revokes a token and removes a person after a confirmation, which ends the sessions', async () => {
    const isIn = async (cookie: string) => (await visit('/console/sites', { cookie })).status === 200
    const one = await add('viewer')
    const cookie = await cookieFor(one.token)
    expect((await send(`/${one.id}/tokens/${one.tokenId}/revocation`)).status).toBe(303)
    expect(await isIn(cookie)).toBe(false)
    const other = await add('viewer')
    const second = await cookieFor(other.token)
    const question = await open(`/${other.id}/deletion`)
    expect(wordsOf(question)).toContain(`Remove ${other.name}?`)
    expect(wordsOf(question)).not.toContain('This is your own account')
    expect(wordsOf(question)).toContain(
      'API keys belong to their sites, so the keys that they created keep working.',
    )
    const keys = /\/console\/audit-log\?actorId=[^"]+/.exec(question.text)![0]
    expect((await visit(decode(keys), { cookie: admin })).status).toBe(200)
    await send(`/${other.id}/deletion`)
    expect(await isIn(second)).toBe(false)
    expect((await open(`/${other.id}`)).status).toBe(404)
  })

  it('lets everybody create and revoke their own tokens, and nobody else’s', async () => {
    const [viewer, other] = [await add('viewer'), await add('viewer')]
    const cookie = await cookieFor(viewer.token)
    expect((await send(`/${viewer.id}/tokens`, {}, cookie)).text).toMatch(TOKEN)
    expect((await send(`/${other.id}/tokens`, {}, cookie)).status).toBe(403)
    expect((await open(`/${other.id}`, cookie)).text).not.toMatch(/New token|Revoke/)
  })

  it('creates one token when the page that shows it is reloaded', async () => {
    const { id } = await add('viewer')
    const form = { id: /name="id" value="([^"]+)"/.exec((await open(`/${id}`)).text)![1]! }
    expect((await send(`/${id}/tokens`, form)).text).toMatch(TOKEN)
    const again = await send(`/${id}/tokens`, form)
    expect([again.status, unsigned(again.location)]).toEqual([303, `${PEOPLE}/${id}?done=created`])
    expect(wordsOf(await visit(again.location!, { cookie: admin }))).toContain('so there is no second one')
    expect((await stored(id)).tokens).toHaveLength(2)
  })
})
