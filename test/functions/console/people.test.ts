import { beforeAll, describe, expect, it } from 'vitest'
import { listOfferedSites } from '../../../src/sites/people.ts'
import {
  cookieOf,
  decode,
  formIn,
  openedIn,
  signIn,
  trySignIn,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { testContext } from '../../support/context.ts'
import { call, makeSite, manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const PEOPLE = '/console/people'
const someName = () => `ada-${crypto.randomUUID()}`

let admin: string
beforeAll(async () => {
  admin = await signIn()
})

type Form = Record<string, string> | string[][]
const open = (below = '', cookie = admin) => visit(PEOPLE + below, { cookie })
const send = (below: string, form: Form = {}, cookie = admin) => visit(PEOPLE + below, { cookie, form })
const stored = (id: string) => manage('GET', `/operators/${id}`)

/** A person who is signed in. */
async function add(role: string) {
  const name = someName()
  const { id } = await manage('POST', '/operators', { name, role })
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  return { id, name, cookie: cookieOf(await trySignIn(token)) }
}

describe('People', () => {
  it('adds a person with a token that signs in, or without one, and lists them with their roles', async () => {
    const [name, other] = [someName(), someName()]
    const page = await send('', { name, role: 'viewer', signIn: 'token' })
    const [token] = /hca_operator_\w{38}/.exec(page.text)!
    const cookie = cookieOf(await trySignIn(token))
    expect(wordsOf(await visit('/console/sites', { cookie }))).toContain(name)
    const { location } = await send('', { name: other, role: 'editor' })
    expect((await stored(location!.split('/').at(-1)!)).tokens).toEqual([])
    expect(wordsOf(await open())).toContain(`${other} Editor All Never`)
    const again = await send('', { name, role: 'admin' })
    expect(wordsOf(again)).toContain('Name is already used by another person.')
  })

  it('lists somebody who has not signed in yet as invited, as long as a link is open', async () => {
    const name = someName()
    const { id } = await manage('POST', '/operators', { name, role: 'viewer' })
    const link = await manage('POST', `/operators/${id}/sign-in-links`, {})
    expect(wordsOf(await open())).toContain(`${name} Invited Viewer All Never`)
    await visit(new URL(link.url!).pathname, { form: {} })
    expect(wordsOf(await open())).toMatch(new RegExp(`${name} Viewer All \\d`))
  })

  it('accepts as many sites as it offers', async () => {
    const [{ id, name }, site] = [await add('viewer'), await makeSite()]
    const sites = Array.from({ length: 1_000 }, () => ['sites', site.id])
    const form = [['name', name], ['role', 'viewer'], ['reach', 'some'], ...sites]
    const { status, location } = await send(`/${id}`, form)
    expect([status, location]).toEqual([303, expect.stringContaining(`${PEOPLE}/${id}?done=changed`)])
  })

  it('offers the sites of a person first, so that saving the form loses none', async () => {
    const site = await makeSite({ name: 'zzz, the last by name' })
    const { id } = await manage('POST', '/operators', { name: someName(), role: 'viewer', sites: [site.id] })
    await makeSite({ name: 'A first' })
    expect((await listOfferedSites(testContext(), id))[0]!.id).toBe(site.id)
  })

  it('asks an admin for confirmation with “This is you” before they demote or remove themselves', async () => {
    const { id, name, cookie } = await add('admin')
    const form = { name, role: 'viewer', opened: openedIn(await open(`/${id}`, cookie)) }
    const question = await send(`/${id}`, form, cookie)
    expect(wordsOf(question)).toContain('Give up the admin role? This is your own account.')
    expect((await stored(id)).role).toBe('admin')
    // A change that keeps the role needs no confirmation.
    expect((await send(`/${id}`, { ...form, name: `${name} L.`, role: 'admin' }, cookie)).status).toBe(303)
    expect(wordsOf(await open(`/${id}/deletion`, cookie))).toContain('This is your own account.')
    const { fields } = formIn(question, `${PEOPLE}/${id}`)
    expect((await send(`/${id}`, fields, cookie)).status).toBe(303)
    expect((await stored(id)).role).toBe('viewer')
  })

  it('says before a removal that the keys of a person keep working, with a link to them', async () => {
    const { id } = await add('viewer')
    const question = await open(`/${id}/deletion`)
    expect(wordsOf(question)).not.toContain('This is your own account')
    expect(wordsOf(question)).toContain('API keys stay with their sites.')
    const [keys] = /\/console\/audit-log\?actorId=[^"]+/.exec(question.text)!
    expect((await visit(decode(keys), { cookie: admin })).status).toBe(200)
  })

  it('shows what a person gave to others, and ends all of it with one button that lists the numbers', async () => {
    const [giver, site] = [await add('admin'), await makeSite()]
    const { token } = await manage('POST', `/operators/${giver.id}/tokens`, {})
    const asGiver = (path: string) => call(`/manage/v1${path}`, { method: 'POST', key: token, body: {} })
    const [friend] = [await add('viewer')]
    await site.put('roses')
    await asGiver(`${site.path}/posts/roses/preview-links`)
    await asGiver(`/operators/${friend.id}/tokens`)
    await asGiver(`/operators/${friend.id}/sign-in-links`)
    const page = await open(`/${giver.id}`)
    expect(wordsOf(page)).toMatch(
      new RegExp(
        `Schedules, preview links and tokens for others .* A title Test … ?\\S{4} .* Tokens and sign-in links for Active ${friend.name} 2`,
      ),
    )
    expect(page.text).toContain(`href="${PEOPLE}/${friend.id}"`)
    expect(wordsOf(page)).toMatch(
      new RegExp(`Save .* Activity All activity .* Gave ${friend.name} a sign-in link`),
    )
    const question = await open(`/${giver.id}/deletion`)
    expect(wordsOf(question)).toContain(
      '1 session, 2 tokens, 1 preview link and 2 tokens and sign-in links for other people stop working now.',
    )
    const { fields } = formIn(question, `${PEOPLE}/${giver.id}/deletion`)
    expect((await send(`/${giver.id}/deletion`, fields)).status).toBe(303)
    expect((await open('', giver.cookie)).status).toBe(303)
    expect((await stored(friend.id)).tokens).toHaveLength(1)
  })

  it('names the site of a preview link, also if it has more sites than it can offer', async () => {
    const [giver, site] = [await add('admin'), await makeSite({ name: 'zz last' })]
    const { token } = await manage('POST', `/operators/${giver.id}/tokens`, {})
    await site.put('tulips')
    await call(`/manage/v1${site.path}/posts/tulips/preview-links`, { method: 'POST', key: token, body: {} })
    const name = `0 ${crypto.randomUUID()}`
    await runSql(
      `insert into sites (name, domain) select $1, 'site.example.com' from generate_series(1, 1000)`,
      [name],
    )
    try {
      expect(wordsOf(await open(`/${giver.id}`))).toContain('A title zz last')
    } finally {
      await runSql('delete from sites where name = $1', [name])
    }
  })

  it('shows the buttons for tokens to their owner and to admins only', async () => {
    const [viewer, other] = [await add('viewer'), await add('viewer')]
    expect((await open(`/${viewer.id}`, viewer.cookie)).text).toMatch(/New token[\s\S]*Revoke/)
    expect((await open(`/${other.id}`, viewer.cookie)).text).not.toMatch(/New token|Revoke/)
  })
})
