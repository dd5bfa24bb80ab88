import { beforeAll, describe, expect, it } from 'vitest'
import { browserOf } from '../../../functions/console/sign-in/browser.ts'
import { cookieOf, decode, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { call, makeSite, manage, ORIGIN, tryManage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

type Link = { id: string; url: string; lastFour: string; expiresAt: string; usedAt: string | null }

const PEOPLE = '/console/people'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const addPerson = (fields: object = {}) =>
  manage('POST', '/operators', { name: `ada-${crypto.randomUUID()}`, role: 'viewer', ...fields })
async function makeLink(id: string) {
  const { url, ...link } = await manage('POST', `/operators/${id}/sign-in-links`, {})
  return { ...link, url: url! }
}
const pathOf = ({ url }: Pick<Link, 'url'>) => new URL(url).pathname

/** Posts the form of the page's button, by default from an address of its own. */
const useLink = (path: string, address: string = crypto.randomUUID(), headers: Record<string, string> = {}) =>
  visit(path, { form: {}, headers: { 'CF-Connecting-IP': address, 'User-Agent': FIREFOX, ...headers } })

const openSession = async (id: string) => cookieOf(await useLink(pathOf(await makeLink(id))))
const isIn = async (cookie: string) => (await visit('/console/sites', { cookie })).status === 200
const whyOut = async (cookie: string) => wordsOf(await visit('/console/sign-in', { cookie }))

let admin: string
beforeAll(async () => {
  admin = await signIn()
})

describe('a sign-in link', () => {
  it('is created with a person, signs in once without a token, and opens the first page', async () => {
    const name = `ada-${crypto.randomUUID()}`
    const form = { name, role: 'viewer', reach: 'all', signIn: 'link' }
    const page = await visit(PEOPLE, { cookie: admin, form })
    expect(page.status).toBe(201)
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    const url = /https:\/\/[^<"]*\/sign-in\/links\/hca_link_\w{38}/.exec(decode(page.text))![0]
    expect(url.startsWith(`${ORIGIN}/console/`)).toBe(true)
    const answer = await useLink(pathOf({ url }))
    expect([answer.status, answer.location]).toEqual([
      303,
      (await visit('/console', { cookie: admin })).location,
    ])
    expect(wordsOf(await visit('/console/sites', { cookie: cookieOf(answer) }))).toContain(name)
    const again = await useLink(pathOf({ url }))
    expect([again.status, again.headers.getSetCookie()]).toEqual([400, []])
    expect(wordsOf(again)).toContain('This link does not work.')
  })

  it('names its person, is not used up by opening it, and does not leak its path', async () => {
    const { id, name } = await addPerson()
    const link = await makeLink(id)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const calls = await callsOf(() => visit(pathOf(link), { method }))
      expect(calls).toBe(1)
    }
    const page = await visit(pathOf(link))
    expect(wordsOf(page)).toContain(`Sign in as ${name}`)
    expect(page.headers.get('Referrer-Policy')).toBe('strict-origin')
    expect(page.headers.getSetCookie()).toEqual([])
    expect((await useLink(pathOf(link))).status).toBe(303)
  })

  it('is stored as a hash, and is no token', async () => {
    const { id } = await addPerson()
    const { url, lastFour } = await makeLink(id)
    const token = url.split('/').at(-1)!
    expect(token.endsWith(lastFour)).toBe(true)
    const rows = await runSql('select * from operator_tokens where operator_id = $1', [id])
    expect(JSON.stringify([rows, await manage('GET', `/operators/${id}`)])).not.toContain(token)
    expect((await call('/manage/v1/operator', { key: token })).status).toBe(401)
    expect((await trySignIn(token)).status).toBe(400)
  })

  it('signs in one of two that use it at once', async () => {
    const path = pathOf(await makeLink((await addPerson()).id))
    const answers = await Promise.all([1, 2, 3, 4].map(() => useLink(path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400, 400])
  })

  it('does not work once it has expired or was revoked, or its person was removed', async () => {
    const ends: ((link: string, person: string) => Promise<unknown>)[] = [
      (link) => runSql('update operator_tokens set expires_at = now() where id = $1', [link]),
      (link, person) => manage('PUT', `/operators/${person}/sign-in-links/${link}/revocation`),
      (_, person) => manage('DELETE', `/operators/${person}`),
    ]
    for (const end of ends) {
      const person = await addPerson()
      const link = await makeLink(person.id)
      await end(link.id, person.id)
      expect((await useLink(pathOf(link))).status).toBe(400)
    }
  })

  it('ends the session that it started, and tokens created there, when it is revoked', async () => {
    const person = await addPerson()
    const link = await makeLink(person.id)
    const cookie = cookieOf(await useLink(pathOf(link)))
    const page = await visit(`${PEOPLE}/${person.id}/tokens`, { cookie, form: { id: crypto.randomUUID() } })
    const token = /hca_operator_\w{38}/.exec(page.text)![0]
    expect((await call('/manage/v1/operator', { key: token })).status).toBe(200)
    await visit(`${PEOPLE}/${person.id}/links/${link.id}/revocation`, { cookie: admin, form: {} })
    expect(await isIn(cookie)).toBe(false)
    expect(await whyOut(cookie)).toContain('was revoked')
    expect((await call('/manage/v1/operator', { key: token })).status).toBe(401)
  })

  it('can be guessed five times a minute from an address, and refuses forms from other sites', async () => {
    const path = pathOf(await makeLink((await addPerson()).id))
    const address = crypto.randomUUID()
    const foreign = await visit(path, { method: 'POST', headers: { Origin: 'https://evil.example' } })
    expect(foreign.status).toBe(403)
    const wrong = path.slice(0, -1)
    const guesses = []
    for (let i = 0; i < 6; i++) guesses.push((await useLink(wrong, address)).status)
    expect(guesses).toEqual([400, 400, 400, 400, 400, 429])
    expect((await useLink(path, address)).status).toBe(429)
    expect((await useLink(path)).status).toBe(303)
  })

  it('says at once that it does not work, and opening it guesses as little as using it', async () => {
    const path = pathOf(await makeLink((await addPerson()).id))
    await useLink(path)
    const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
    const opened = []
    for (let i = 0; i < 6; i++) opened.push(await visit(path, { headers }))
    expect(opened.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429])
    expect(wordsOf(opened[0]!)).toContain('This link does not work.')
    expect(await callsOf(() => visit(path.slice(0, -1)))).toBe(0)
  })

  it('starts a new session whatever cookie there was, and redirects nowhere else', async () => {
    const path = pathOf(await makeLink((await addPerson()).id))
    const next = 'https://evil.example/'
    const answer = await visit(`${path}?next=${next}`, {
      form: { next },
      cookie: 'console_session=planted.x',
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
    })
    expect(answer.location).toMatch(/^\/console\/\w+$/)
    expect(cookieOf(answer)).not.toContain('planted')
  })

  it('can be for oneself too, without more access, and sends no mail', async () => {
    const person = await addPerson({ role: 'editor', sites: [(await makeSite()).id] })
    const other = await addPerson()
    const cookie = await openSession(person.id)
    const ask = (id: string, form = {}) => visit(`${PEOPLE}/${id}/links`, { cookie, form })
    const own = await ask(person.id)
    expect(own.status).toBe(201)
    expect((await ask(other.id)).status).toBe(404)
    expect((await ask(person.id, { email: 'a@example.com' })).status).toBe(403)
    const next = cookieOf(await useLink(/\/console\/sign-in\/links\/\w+/.exec(own.text)![0]))
    expect(wordsOf(await visit(`${PEOPLE}/${person.id}`, { cookie: next }))).toContain('Editor. Sites: Test.')
  })

  it('is refused for mail when no mail is configured, before anybody is added', async () => {
    const name = `ada-${crypto.randomUUID()}`
    const { id } = await addPerson()
    const refused = await tryManage('POST', `/operators/${id}/sign-in-links`, { email: 'a@example.com' })
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: 'email' }] } })
    const form = { name, role: 'viewer', signIn: 'link', email: 'no address' }
    expect((await visit(PEOPLE, { cookie: admin, form })).status).toBe(400)
    expect(JSON.stringify(await manage('GET', '/operators'))).not.toContain(name)
  })

  it('is logged when created, used and revoked, without its token', async () => {
    const person = await addPerson()
    const link = await makeLink(person.id)
    await useLink(pathOf(link))
    await manage('PUT', `/operators/${person.id}/sign-in-links/${link.id}/revocation`)
    const { items } = await manage('GET', `/audit-log?resourceId=${person.id}`)
    expect(items.map(({ action, actor }) => [action, actor])).toEqual([
      ['link.revoked', 'OPERATOR_TOKEN'],
      ['link.used', person.name],
      ['link.created', 'OPERATOR_TOKEN'],
      ['operator.created', 'OPERATOR_TOKEN'],
    ])
    expect(JSON.stringify(items)).not.toMatch(/hca_link|[0-9a-f]{64}/)
  })
})

it('headless Chrome is named', () => {
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36'
  expect(browserOf({ req: { header: () => agent } } as never)).toBe('Chrome on Linux')
})

describe('the sessions of a person', () => {
  const sessionsOf = async (id: string) => (await manage('GET', `/operators/${id}/sessions`)).items

  it('are shown to them and to admins, with browser and times, without another call', async () => {
    const person = await addPerson()
    const cookie = await openSession(person.id)
    // The first visit records when the session was seen.
    const [first, second] = [
      await callsOf(() => visit('/console/sites', { cookie })),
      await callsOf(() => visit('/console/sites', { cookie })),
    ]
    expect(first).toBe(second)
    expect(await sessionsOf(person.id)).toMatchObject([
      { browser: 'Firefox on Linux', lastSeenAt: expect.any(String) },
    ])
    for (const each of [cookie, admin]) {
      const page = await visit(`${PEOPLE}/${person.id}`, { cookie: each })
      expect(wordsOf(page)).toContain('Firefox on Linux')
      expect(wordsOf(page).includes('Current')).toBe(each === cookie)
    }
    const viewer = await openSession((await addPerson()).id)
    expect(wordsOf(await visit(`${PEOPLE}/${person.id}`, { cookie: viewer }))).not.toContain(
      'Sign out everywhere',
    )
  })

  it('can be ended one by one, at once, and the next page says who did it', async () => {
    const person = await addPerson()
    const [one, two] = [await openSession(person.id), await openSession(person.id)]
    const [newest] = await sessionsOf(person.id)
    await visit(`${PEOPLE}/${person.id}/sessions/${newest!.id}/removal`, { cookie: admin, form: {} })
    expect([await isIn(one), await isIn(two)]).toEqual([true, false])
    expect(await whyOut(two)).toContain('OPERATOR_TOKEN ended your session.')
    const { items } = await manage('GET', `/audit-log?action=operator.session_ended&resourceId=${person.id}`)
    expect(items).toMatchObject([
      { subject: person.name, actor: 'OPERATOR_TOKEN', before: { browser: 'Firefox on Linux' } },
    ])
  })

  it('can be ended all at once, and the page says how many', async () => {
    const person = await addPerson()
    const [one, two] = [await openSession(person.id), await openSession(person.id)]
    const answer = await visit(`${PEOPLE}/${person.id}/sessions/removal`, { cookie: one, form: {} })
    expect(wordsOf(await visit(answer.location!))).toContain(
      'You are signed out everywhere. 2 sessions ended.',
    )
    expect([await isIn(one), await isIn(two)]).toEqual([false, false])
    expect(await whyOut(two)).toContain('You ended this session from another one.')
    await openSession(person.id)
    expect(await manage('DELETE', `/operators/${person.id}/sessions`)).toEqual({ ended: 1 })
    expect(await manage('DELETE', `/operators/${person.id}/sessions`)).toEqual({ ended: 0 })
  })

  it('cannot be ended through the id of another person', async () => {
    const [person, other] = [await addPerson(), await addPerson()]
    const cookie = await openSession(person.id)
    const [session] = await sessionsOf(person.id)
    expect(await manage('DELETE', `/operators/${other.id}/sessions/${session!.id}`)).toEqual({ ended: 0 })
    expect(await isIn(cookie)).toBe(true)
  })
})

it('the sites of a person are chosen in the form, all or some, and kept when another field changes', async () => {
  const [a, b] = [await makeSite({ name: 'A' }), await makeSite({ name: 'B' })]
  const name = `ada-${crypto.randomUUID()}`
  const send = (to: string, role: string, ...sites: { id: string }[]) => {
    const form = [['name', name], ['role', role], ['reach', 'some'], ...sites.map(({ id }) => ['sites', id])]
    return visit(to, { cookie: admin, form })
  }
  const path = (await send(PEOPLE, 'viewer', a, b)).location!
  const stored = () => manage('GET', `/operators/${path.split('/').at(-1)}`)
  expect((await stored()).sites!.toSorted()).toEqual([a.id, b.id].toSorted())
  await makeSite({ name: '0 before them' })
  const { text } = await visit(path, { cookie: admin })
  const boxes = text.match(/<input type="checkbox" name="sites"[^>]*>/g)!
  expect(boxes.map((box) => box.includes('checked')).lastIndexOf(true)).toBe(1)
  const none = await send(path, 'viewer')
  expect([none.status, wordsOf(none)]).toEqual([400, expect.stringContaining('Choose at least one site.')])
  await send(path, 'editor', a)
  expect(await stored()).toMatchObject({ role: 'editor', sites: [a.id] })
  expect(wordsOf(await send(path, 'admin', a))).toContain('Sites must be null (all sites) for an admin')
  await visit(path, { cookie: admin, form: { name, role: 'admin', reach: 'all' } })
  expect(await stored()).toMatchObject({ role: 'admin', sites: null })
})
