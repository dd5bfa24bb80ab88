/** People with access to some sites. The routes come from the document and the route table, so that none is forgotten. */
import { beforeAll, describe, expect, it } from 'vitest'
import { workspaceConsole } from '../../functions/console/console.tsx'
import { cookieOf, trySignIn, visit } from '../support/console.ts'
import { callTool } from '../support/mcp.ts'
import { operationsOf, readDocument } from '../support/openapi.ts'
import { call, makeSite, manage, tryManage } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { setWebhook } from '../support/webhook.ts'

type Site = Awaited<ReturnType<typeof makeSite>>

async function addPerson(role: string, sites: string[] | null) {
  const name = `${role}-${crypto.randomUUID()}`
  const operator = await manage('POST', '/operators', { name, role, sites })
  const { token } = await manage('POST', `/operators/${operator.id}/tokens`, {})
  return { ...operator, token }
}

let own: Site
let other: Site
let secret: string
let person: Awaited<ReturnType<typeof addPerson>>
let stranger: Awaited<ReturnType<typeof addPerson>>
let bystander: typeof person
let cookie: string

beforeAll(async () => {
  secret = `secret-${crypto.randomUUID()}`
  own = await makeSite({ name: 'Own' })
  other = await makeSite({ name: secret, domain: `${secret.slice(0, 40)}.example.com` })
  await other.put('a-post', { title: secret, trustScore: 90 })
  await other.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/new' }] })
  await setWebhook(other, 'status/500')
  await own.put('a-post')
  person = await addPerson('editor', [own.id])
  stranger = await addPerson('viewer', [other.id])
  bystander = await addPerson('viewer', [other.id])
  cookie = cookieOf(await trySignIn(person.token))
})

const ids = (site: Site): Record<string, string> => ({
  siteId: site.id,
  operatorId: bystander.id,
  slug: 'a-post',
  keyId: site.keyId,
})
const fill = (path: string, site: Site) =>
  path.replaceAll(/:(\w+)(?:\{[^/]*\})?|\{(\w+)\}/g, (_, name?: string, braced?: string) => {
    return ids(site)[name ?? braced!] ?? crypto.randomUUID()
  })

/** Texts that reveal the other site, or people with access to that one only. */
const revealedIn = (text: string) =>
  [other.id, secret, stranger.id, stranger.name, bystander.name].filter((part) => text.includes(part))

describe('the management API', async () => {
  const operations = operationsOf(await readDocument('/manage/v1'))
  const ask = (method: string, path: string, site: Site) =>
    call(`/manage/v1${fill(path, site)}`, {
      method,
      key: person.token,
      ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
    })

  it.each(
    operations.filter(({ path }) => path.includes('{siteId}')).map(({ method, path }) => [method, path]),
  )('%s %s answers for another site as for an unknown one', async (method, path) => {
    const refused = await ask(method, path, other)
    expect([refused.status, await refused.json()]).toEqual([404, { error: 'Site not found' }])
    if (method === 'DELETE' && path === '/sites/{siteId}') return
    expect(await (await ask(method, path, own)).text()).not.toContain('Site not found')
  })

  it.each(
    operations.filter(({ path }) => !path.includes('{siteId}')).map(({ method, path }) => [method, path]),
  )('%s %s reveals nothing about another site', async (method, path) => {
    expect(revealedIn(await (await ask(method, path, other)).text())).toEqual([])
  })

  it('lists the sites that a person has access to, page by page, and names them', async () => {
    const list = await (await call('/manage/v1/sites?limit=1', { key: person.token })).json()
    expect(list).toMatchObject({ items: [{ id: own.id }], next: null })
    const self = await (await call('/manage/v1/operator', { key: person.token })).json()
    expect(self).toMatchObject({ id: person.id, sites: [own.id] })
  })
})

describe('the console', () => {
  const routes = [
    ...new Set(
      workspaceConsole.routes
        .filter(({ method, path }) => ['GET', 'POST'].includes(method) && !/\/\*?$|sign-|\/assets/.test(path))
        .map(({ method, path }) => `${method} /console${path}`),
    ),
  ]

  it.each(routes)('%s reveals nothing about another site', async (route) => {
    const [method, path] = route.split(' ') as [string, string]
    const isOfSite = path.includes(':siteId')
    const page = await visit(fill(path, other), { cookie, method, ...(method === 'POST' && { form: {} }) })
    if (isOfSite) expect(page.status).toBe(404)
    expect(revealedIn(`${page.text} ${page.location}`)).toEqual([])
  })

  it('removes a site from the recent ones after access to it was withdrawn', async () => {
    const both = await addPerson('viewer', [own.id, other.id])
    const session = cookieOf(await trySignIn(both.token))
    const visited = await visit(`/console${other.path}/api`, { cookie: session })
    expect(visited.status).toBe(200)
    const recent = visited.headers
      .getSetCookie()
      .find((each) => each.startsWith('console_sites'))!
      .split(';')[0]
    await manage('PATCH', `/operators/${both.id}`, { sites: [own.id] })
    const { text } = await visit('/console/sites', { cookie: `${session}; ${recent}` })
    expect(revealedIn(text)).toEqual([])
  })
})

it('an assistant with access to some sites cannot read another', async () => {
  const { isError, content } = await callTool(person.token, 'find_posts', { siteId: other.id })
  expect([isError, content[0]!.text]).toEqual([true, 'Site not found (404)'])
  expect(revealedIn(JSON.stringify(await callTool(person.token, 'list_sites')))).toEqual([])
})

describe('a person with access to some sites', () => {
  it('cannot create a token, role or site with more access', async () => {
    const ask = async (method: string, path: string, body: object) =>
      (await call(`/manage/v1${path}`, { method, body, key: person.token })).status
    expect(await ask('PATCH', `/operators/${person.id}`, { sites: null })).toBe(403)
    expect(await ask('POST', '/operators', { name: 'x', role: 'viewer' })).toBe(403)
    expect(await ask('POST', '/sites', { name: 'x', domain: 'x.example.com' })).toBe(403)
    const made = await call(`/manage/v1/operators/${person.id}/tokens`, {
      method: 'POST',
      body: {},
      key: person.token,
    })
    const { token } = await made.json<{ token: string }>()
    expect((await call(`/manage/v1${other.path}`, { key: token })).status).toBe(404)
    expect((await call(`/manage/v1${own.path}`, { key: token })).status).toBe(200)
  })

  it('cannot be an admin', async () => {
    const refused = {
      status: 400,
      body: { error: 'Invalid body: sites must be null (all sites) for an admin' },
    }
    expect(
      await tryManage('POST', '/operators', { name: 'x', role: 'admin', sites: [own.id] }),
    ).toMatchObject(refused)
    expect(await tryManage('PATCH', `/operators/${person.id}`, { role: 'admin' })).toMatchObject(refused)
    const { id } = await manage('POST', '/operators', {
      name: crypto.randomUUID(),
      role: 'editor',
      sites: [own.id],
    })
    const promoted = await manage('PATCH', `/operators/${id}`, { role: 'admin', sites: null })
    expect(promoted).toMatchObject({ role: 'admin', sites: null })
    const update = runSql("update operators set role = 'admin' where id = $1", [person.id])
    await expect(update).rejects.toThrow('operators_admins_reach_all')
  })

  it('can only get sites that exist', async () => {
    const unknown = crypto.randomUUID()
    const { status, body } = await tryManage('POST', '/operators', {
      name: 'x',
      role: 'viewer',
      sites: [own.id, unknown],
    })
    expect([status, body!.error]).toEqual([400, 'Invalid body: sites[1] is not an existing site'])
  })

  it('has no access once the last site is deleted, and that is logged', async () => {
    const gone = await makeSite({ name: 'Gone' })
    const last = await addPerson('viewer', [gone.id])
    await manage('DELETE', `${gone.path}?confirm=Gone`)
    expect(await manage('GET', `/operators/${last.id}`)).toMatchObject({ sites: [] })
    const list = await (await call('/manage/v1/sites', { key: last.token })).json()
    expect(list).toEqual({ items: [], next: null })
    const { items } = await manage('GET', `/audit-log?resourceId=${last.id}&action=operator.updated`)
    expect(items).toMatchObject([{ before: { sites: [gone.id] }, after: { sites: [] } }])
  })
})
