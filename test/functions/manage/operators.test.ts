import { beforeAll, describe, expect, it } from 'vitest'
import { cookieOf, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { call, errorOf, manage, operatorToken, tryManage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

type Token = { id: string; token: string; lastFour: string; expiresAt: string }

const someName = () => `ada-${crypto.randomUUID()}`
const DAY_MS = 86_400_000

async function makeOperator(role = 'admin') {
  const operator = await manage('POST', '/operators', { name: someName(), role })
  const token = await manage('POST', `/operators/${operator.id}/tokens`, {})
  const ask = (method: string, path: string, body?: unknown) =>
    call(`/manage/v1${path}`, { method, body, key: token.token })
  return { ...operator, token, ask }
}

describe('an operator', () => {
  it('is added, listed by name, changed and removed', async () => {
    const name = someName()
    const added = await manage('POST', '/operators', { name: ` ${name} `, role: 'viewer' })
    expect(added).toMatchObject({ name, role: 'viewer', tokens: [] })
    const { items } = await manage('GET', '/operators')
    expect(items.find(({ id }) => id === added.id)).toEqual(added)
    // Other tests add names in any script.
    const names = items.map((each) => each.name).filter((each) => each.startsWith('ada-'))
    expect(names).toEqual(names.toSorted())
    const changed = await manage('PATCH', `/operators/${added.id}`, { role: 'editor' })
    expect(changed).toEqual({ ...added, role: 'editor' })
    await manage('DELETE', `/operators/${added.id}`)
    expect((await tryManage('GET', `/operators/${added.id}`)).status).toBe(404)
    expect((await tryManage('DELETE', `/operators/${added.id}`)).status).toBe(404)
  })

  it('has a unique name, whatever its case', async () => {
    const { name } = await makeOperator()
    const { id } = await makeOperator()
    const taken = { status: 409, body: { error: 'Another operator has this name' } }
    expect(await tryManage('POST', '/operators', { name: name.toUpperCase(), role: 'viewer' })).toEqual(taken)
    expect(await tryManage('PATCH', `/operators/${id}`, { name })).toEqual(taken)
  })

  it.each([
    [{ name: '', role: 'viewer' }, 'name'],
    [{ name: 'x'.repeat(201), role: 'viewer' }, 'name'],
    [{ name: 'x', role: 'owner' }, 'role must be viewer, editor or admin'],
    [{ name: 'x' }, 'role'],
    [{ name: 'x', role: 'viewer', id: 'y' }, 'id'],
  ])('is refused as %j, with an error at the field', async (body, named) => {
    const refused = await tryManage('POST', '/operators', body)
    expect(refused.status).toBe(400)
    expect(String(refused.body!.error)).toContain(named)
  })
})

describe('the token of an operator', () => {
  it('signs in to the management API and the console, is reported with its owner, and stored only as a hash', async () => {
    const { id, name, role, token, ask } = await makeOperator('editor')
    expect(token.token).toMatch(/^hca_operator_[0-9A-Za-z]{38}$/)
    expect(await (await ask('GET', '/operator')).json()).toEqual({ id, name, role, sites: null })
    const cookie = cookieOf(await trySignIn(token.token))
    expect(wordsOf(await visit('/console/sites', { cookie }))).toContain(name)
    const [row] = await runSql('select * from operator_tokens where id = $1', [token.id])
    expect(JSON.stringify(row)).not.toContain(token.token)
    expect(row!.token_hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each<[string, (operator: { id: string; token: { id: string } }) => Promise<unknown>]>([
    ['is revoked', ({ id, token }) => manage('PUT', `/operators/${id}/tokens/${token.id}/revocation`)],
    ['loses its operator', ({ id }) => manage('DELETE', `/operators/${id}`)],
    [
      'expires',
      ({ token }) =>
        runSql("update operator_tokens set expires_at = now() - interval '1 ms' where id = $1", [token.id]),
    ],
  ])('is refused on the next request after it %s, and its sessions end', async (_, end) => {
    const operator = await makeOperator()
    const cookie = cookieOf(await trySignIn(operator.token.token))
    expect((await visit('/console/sites', { cookie })).status).toBe(200)
    await end(operator)
    expect(await errorOf(await operator.ask('GET', '/sites'), 401)).toBe('Missing or invalid operator token')
    expect((await visit('/console/sites', { cookie })).status).toBe(303)
    expect((await trySignIn(operator.token.token)).status).toBe(400)
  })

  it('has the operator’s current role, in sessions too', async () => {
    const { id, token, ask } = await makeOperator('admin')
    const cookie = cookieOf(await trySignIn(token.token))
    await manage('PATCH', `/operators/${id}`, { role: 'viewer' })
    expect((await ask('POST', '/sites', { name: 'x', domain: 'x.example.com' })).status).toBe(403)
    const form = { name: 'x', domain: 'x.example.com', plan: 'free' }
    expect((await visit('/console/sites', { cookie, form })).status).toBe(403)
  })

  it('expires after 90 days, or when requested, within a year', async () => {
    const { id, token } = await makeOperator()
    const days = (Date.parse(token.expiresAt) - Date.now()) / DAY_MS
    expect(Math.round(days)).toBe(90)
    const expiresAt = new Date(Date.now() + 2 * DAY_MS).toISOString()
    const path = `/operators/${id}/tokens`
    expect(await manage('POST', path, { expiresAt })).toMatchObject({ expiresAt })
    const late = new Date(Date.now() + 400 * DAY_MS).toISOString()
    expect((await tryManage('POST', path, { expiresAt: '2020-01-01T00:00:00Z' })).status).toBe(400)
    const refused = await tryManage('POST', path, { expiresAt: late })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'Invalid body: expiresAt must be within the next 366 days' },
    })
  })

  it('records its last use', async () => {
    const { id, ask } = await makeOperator()
    await ask('GET', '/sites')
    await expect
      .poll(async () => (await manage('GET', `/operators/${id}`)).tokens[0]?.lastUsedAt)
      .not.toBeNull()
  })

  it('can be created and revoked by its operator, and by an admin for everybody', async () => {
    const viewer = await makeOperator('viewer')
    const editor = await makeOperator('editor')
    const own = await viewer.ask('POST', `/operators/${viewer.id}/tokens`, {})
    expect(own.status).toBe(201)
    const { id } = await own.json<Token>()
    const revoked = await viewer.ask('PUT', `/operators/${viewer.id}/tokens/${id}/revocation`)
    const { revokedAt } = await revoked.json<{ revokedAt: string }>()
    expect(await manage('PUT', `/operators/${viewer.id}/tokens/${id}/revocation`)).toMatchObject({
      revokedAt,
    })
    expect((await editor.ask('POST', `/operators/${viewer.id}/tokens`, {})).status).toBe(403)
    const revocation = `/operators/${viewer.id}/tokens/${viewer.token.id}/revocation`
    expect((await editor.ask('PUT', revocation)).status).toBe(403)
    // The path has the editor, who has permission, with the token of another person.
    expect(
      (await editor.ask('PUT', `/operators/${editor.id}/tokens/${viewer.token.id}/revocation`)).status,
    ).toBe(404)
    expect((await viewer.ask('GET', '/operator')).status).toBe(200)
  })
})

describe('OPERATOR_TOKEN', () => {
  it('is an admin without an id', async () => {
    expect(await manage('GET', '/operator')).toEqual({
      id: null,
      name: 'OPERATOR_TOKEN',
      role: 'admin',
      sites: null,
    })
  })

  describe('that is switched off', () => {
    const OFF = { OPERATOR_TOKEN: undefined as unknown as string }
    let admin: Awaited<ReturnType<typeof makeOperator>>
    beforeAll(async () => {
      admin = await makeOperator('admin')
    })
    const ask = (token: string) =>
      visit('/manage/v1/sites', {
        world: OFF,
        headers: { Authorization: `Bearer ${token}`, 'CF-Connecting-IP': crypto.randomUUID() },
      })

    it('is refused, and so is its session, while an admin’s token keeps working', async () => {
      const cookie = cookieOf(await trySignIn(operatorToken))
      expect((await ask(operatorToken)).status).toBe(401)
      expect((await ask('undefined')).status).toBe(401)
      expect((await visit('/console/sites', { cookie, world: OFF })).status).toBe(303)
      expect((await trySignIn(operatorToken, { world: OFF })).status).toBe(400)
      expect((await ask(admin.token.token)).status).toBe(200)
      const own = cookieOf(await trySignIn(admin.token.token, { world: OFF }))
      expect((await visit('/console/sites', { cookie: own, world: OFF })).status).toBe(200)
    })
  })
})
