import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { cookieOf, formIn, signIn, trySignIn, unsigned, visit, wordsOf } from '../../support/console.ts'
import { testContext } from '../../support/context.ts'
import { runFullSweep } from '../../support/outbox.ts'
import { manage, ORIGIN, operatorToken } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const SIGN_IN = /^\/console\/sign-in/
const isIn = async (cookie: string, world: Record<string, string> = {}) =>
  (await visit('/console/sites', { cookie, world })).status === 200

async function makeToken() {
  const { id } = await manage('POST', '/operators', { name: `ada-${crypto.randomUUID()}`, role: 'viewer' })
  const { id: tokenId, token } = await manage('POST', `/operators/${id}/tokens`, {})
  return { id, tokenId, token }
}

/** A cookie whose session was ended by signing out. */
async function endedSession() {
  const cookie = await signIn()
  await visit('/console/sign-out', { form: {}, cookie })
  return cookie
}

describe('signing in', () => {
  it('with the operator token sets a twelve-hour cookie that scripts and other sites cannot use', async () => {
    const answer = await trySignIn(operatorToken)
    expect([answer.status, answer.location]).toEqual([303, '/console/overview'])
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^console_session=[^;]+; Max-Age=648000; Path=\/console; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(await isIn(cookieOf(answer))).toBe(true)
    // Over plain http, a cookie that http can send.
    const plain = await trySignIn(operatorToken, { origin: 'http://127.0.0.1:8787' })
    expect(plain.headers.getSetCookie()[0]).toMatch(/^console_session=.*HttpOnly; SameSite=Lax$/)
    expect(plain.headers.getSetCookie()[0]).not.toContain('Secure')
  })

  it.each(['', ' ', 'wrong', `${operatorToken}x`, operatorToken.slice(0, -1)])(
    'with the token %j shows the form again, and sets no cookie',
    async (token) => {
      const answer = await trySignIn(token)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
      expect(wordsOf(answer)).toContain('This token is not valid.')
      if (token.trim()) expect(answer.text).not.toContain(token)
    },
  )

  it('with a token that was revoked or has expired says so', async () => {
    const { id, tokenId, token } = await makeToken()
    await runSql("update operator_tokens set expires_at = now() - interval '1 s' where id = $1", [tokenId])
    expect(wordsOf(await trySignIn(token))).toContain('This token has expired')
    await manage('PUT', `/operators/${id}/tokens/${tokenId}/revocation`)
    expect(wordsOf(await trySignIn(token))).toContain('This token was revoked')
  })

  it('redirects to the requested page', async () => {
    const next = '/console/sites?cursor=[1,%2200000000-0000-4000-8000-000000000001%22]'
    const { location } = await visit(next)
    expect(location).toBe(`/console/sign-in?next=${encodeURIComponent(next)}`)
    expect((await visit(location!)).text).toContain(` action="${location}"`)
    expect((await trySignIn('wrong', { next })).text).toContain(` action="${location}"`)
    const answer = await trySignIn(operatorToken, { next })
    expect(answer.location).toBe(next)
    // The page is skipped when signed in.
    expect((await visit(location!, { cookie: cookieOf(answer) })).location).toBe(next)
  })

  it.each([
    'https://evil.example/console',
    '//evil.example/console',
    '/\\evil.example',
    'javascript:alert(1)',
    '/api/v1/openapi.json',
    '/console/../manage/v1',
    '/console/%2e%2e/manage/v1',
    '/consolex',
    '/console/sign-out',
  ])('never redirects to %s', async (next) => {
    expect((await trySignIn(operatorToken, { next })).location).toBe('/console/overview')
  })
})

describe('without a session', () => {
  it.each(['/console', '/console/', '/console/sites', '/console/sites/x/api', '/console/nowhere'])(
    '%s redirects to the sign-in page',
    async (path) => {
      expect(await visit(path)).toMatchObject({ status: 303, location: expect.stringMatching(SIGN_IN) })
    },
  )

  it('a form does nothing, and is offered again unchanged after signing in', async () => {
    const name = `Unsigned "${crypto.randomUUID()}" <b>`
    const made = async () => (await runSql('select from sites where name = $1', [name])).length
    const sent = { name, domain: 'a.example.com', plan: 'growth' }
    const headers = { 'CF-Connecting-IP': crypto.randomUUID(), Referer: `${ORIGIN}/console/sites/new` }
    const answer = await visit('/console/sites', { form: sent, headers })
    expect([answer.status, await made()]).toEqual([401, 0])
    expect(wordsOf(answer)).toContain('nothing was changed')
    const kept = formIn(answer, 'sign-in')
    const wrong = await visit(kept.action, { form: { ...kept.fields, token: 'wrong' }, headers })
    expect(wrong.status).toBe(400)
    const again = formIn(wrong, 'sign-in')
    const signedIn = await visit(again.action, { form: { ...again.fields, token: operatorToken }, headers })
    expect(wordsOf(signedIn)).toMatch(
      /OPERATOR_TOKEN Admin at \S+ Sign out .*Your form has not been submitted yet/,
    )
    // It names its page, and links back to it.
    expect(signedIn.text).toContain('<a href="/console/sites/new">/console/sites/new</a>')
    expect(signedIn.text).toMatch(/<a class="button" href="\/console\/sites\/new">\s*Discard/)
    expect(await made()).toBe(0)
    const { action, fields } = formIn(signedIn, '/console/sites')
    expect({ action, fields }).toEqual({ action: '/console/sites', fields: sent })
    const done = await visit(action, { form: fields, cookie: cookieOf(signedIn) })
    expect(done.location).toMatch(/^\/console\/sites\/.*\/overview$/)
    expect(await made()).toBe(1)
  })

  it('a form of the maximum length is kept, in any script', async () => {
    const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
    // The limit of its page, each of whose characters takes nine bytes.
    const body = '語'.repeat(116_000)
    const path = `/console/sites/${crypto.randomUUID()}/integrations/signature-check`
    const cookie = await endedSession()
    const { action, fields } = formIn(await visit(path, { form: { body }, headers, cookie }), 'sign-in')
    const signedIn = await visit(action, { form: { ...fields, token: operatorToken }, headers, cookie })
    expect([signedIn.status, formIn(signedIn, path).fields]).toEqual([200, { body }])
  })

  it('a form that would make a much larger page is not kept, and neither is a long one from a browser that never signed in', async () => {
    const site = `/console/sites/${crypto.randomUUID()}`
    const path = `${site}/content/posts/x/edit`
    const ended = await endedSession()
    const post = async (to: string, body: string, cookie: string | undefined = ended) => {
      const headers = {
        Origin: ORIGIN,
        'Content-Type': 'application/x-www-form-urlencoded',
        'CF-Connecting-IP': crypto.randomUUID(),
      }
      return (await visit(to, { method: 'POST', headers, body, ...(cookie && { cookie }) })).status
    }
    const [plain, escaped] = ['x'.repeat(1_600_000), '<'.repeat(1_600_000)]
    expect(await post(path, `contentHtml=${plain}`)).toBe(401)
    expect(await post(path, `contentHtml=${plain}`, '')).toBe(413)
    expect(await post(path, `contentHtml=${plain}`, 'console_session=made-up.c2lnbmF0dXJl')).toBe(413)
    for (const page of ['content/posts/x/edit', 'settings/transfer', 'integrations/signature-check', 'api'])
      expect(await post(`${site}/${page}`, `a=${'<'.repeat(40_000)}`, '')).toBe(413)
    expect(await post(path, `contentHtml=${plain.slice(0, 30_000)}`, '')).toBe(401)
    expect(await post(path, `contentHtml=${escaped}`)).toBe(303)
    expect(await post(path, `contentHtml=x${'&a='.repeat(2_001)}`)).toBe(413)
    const kept = `/console/sign-in?${new URLSearchParams({ kept: '1', next: path })}`
    expect(await post(kept, `kept.contentHtml=${plain}`)).toBe(400)
    expect(await post(kept, `kept.contentHtml=${escaped}`)).toBe(413)
  })

  it.each(['/console/sites/x/content/posts/y/edit', '/console/sign-in?kept=1&next=/console/sites'])(
    'a form to %s with more parts than any form has is refused',
    async (path) => {
      const form = new FormData()
      for (let field = 0; field <= 2_000; field++) form.append('a', '')
      // With a length, as a browser sends it.
      const body = await new Response(form).text()
      const type = `multipart/form-data; boundary=${body.slice(2, body.indexOf('\r\n'))}`
      const headers = { Origin: ORIGIN, 'Content-Type': type }
      expect((await visit(path, { method: 'POST', headers, body })).status).toBe(413)
    },
  )

  it('a form without known fields returns to its page, which has to be filled in again', async () => {
    const page = `/console/sites/${crypto.randomUUID()}/api?x=1`
    for (const [Referer, next] of [
      [ORIGIN + page, page],
      ['https://evil.example/console/x', '/console/overview'],
    ] as const) {
      const { location } = await visit('/console/sites/x/keys/y/revocation', {
        form: {},
        headers: { Referer },
      })
      expect(unsigned(location)).toBe(`/console/sign-in?${new URLSearchParams({ ended: '1', next })}`)
    }
  })

  it('a form from an unknown page is not posted there', async () => {
    const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
    const path = '/console/sign-in?kept=1&next=https://evil.example/'
    const answer = await visit(path, { form: { 'kept.a': 'b', token: operatorToken }, headers })
    expect(formIn(answer, 'Continue').action).toBe('/console/overview')
  })

  it('a secret in a form is not kept', async () => {
    const path = `/console/sites/${crypto.randomUUID()}/integrations/signature-check`
    const answer = await visit(path, { form: { secret: 'whsec_canary', body: '{}' } })
    expect(answer.text).not.toContain('whsec_canary')
    expect(formIn(answer, 'sign-in').fields).toEqual({ 'kept.body': '{}' })
  })
})

describe('a session ends', () => {
  it('at sign-out, even if the cookie was kept', async () => {
    const [cookie, other] = [await signIn(), await signIn()]
    const answer = await visit('/console/sign-out', { cookie, form: {} })
    expect([answer.status, unsigned(answer.location)]).toEqual([303, '/console/sign-in?out=1'])
    expect(answer.headers.getSetCookie()[0]).toMatch(/^console_session=; Max-Age=0; Path=\/console; Secure$/)
    expect([await isIn(cookie), await isIn(other)]).toEqual([false, true])
  })

  it('when the operator token changes', async () => {
    const cookie = await signIn()
    expect(await isIn(cookie, { OPERATOR_TOKEN: `${operatorToken}-new` })).toBe(false)
    expect(await isIn(cookie)).toBe(true)
  })

  it('when the Redis token changes, and the next sign-in works', async () => {
    const world = { UPSTASH_REDIS_REST_TOKEN: 'another' }
    expect(await isIn(await signIn(), world)).toBe(false)
    expect(await isIn(cookieOf(await trySignIn(operatorToken, { world })), world)).toBe(true)
  })

  it('of an operator survives changes of OPERATOR_TOKEN and WEBHOOK_KEYS, and switching the former off', async () => {
    const { token } = await makeToken()
    const WEBHOOK_KEYS = `new:${btoa('n'.repeat(32))}`
    const off = { OPERATOR_TOKEN: undefined as unknown as string }
    for (const before of [{}, off]) {
      const cookie = cookieOf(await trySignIn(token, { world: before }))
      for (const world of [{ OPERATOR_TOKEN: `${operatorToken}-new` }, { WEBHOOK_KEYS }, off])
        expect(await isIn(cookie, { ...before, ...world })).toBe(true)
    }
  })

  it('after twelve hours, which its browser sees for a week, and a sweep deletes its row', async () => {
    const cookie = await signIn()
    const { db } = testContext()
    const id = decodeURIComponent(cookie.split('=')[1]!).split('.')[0]!
    const hash = sql`encode(sha256(${`${operatorToken} ${id}`}::text::bytea), 'hex')`
    const rows = () =>
      db.execute(sql`select expires_at - created_at as lasts from console_sessions where id_hash = ${hash}`)
    expect((await rows()).rows).toEqual([{ lasts: '12:00:00' }])
    const expire = (days: number) =>
      db.execute(
        sql`update console_sessions set expires_at = now() - make_interval(days => ${days}) where id_hash = ${hash}`,
      )
    await expire(0)
    expect(await isIn(cookie)).toBe(false)
    await expire(6)
    await runFullSweep()
    const page = await visit('/console/sign-in', { cookie })
    expect(wordsOf(page)).toContain('Your session expired after twelve hours.')
    await expire(7)
    await runFullSweep()
    expect((await rows()).rows).toEqual([])
  })
})

describe('the sign-in page', () => {
  it('says that the session has ended to a browser that had one', async () => {
    const seen = `console_sites=${encodeURIComponent(JSON.stringify([[crypto.randomUUID(), 'Blog']]))}`
    expect(wordsOf(await visit('/console/sign-in', { cookie: seen }))).toContain('Your session expired')
    expect(wordsOf(await visit('/console/sign-in'))).not.toContain('session')
  })

  it('mentions the files of npm start only there', async () => {
    for (const ALLOW_LOOPBACK_WEBHOOKS of ['true', 'false']) {
      const { text } = await visit('/console/sign-in', { world: { ALLOW_LOOPBACK_WEBHOOKS } })
      expect(text.includes('service.json')).toBe(ALLOW_LOOPBACK_WEBHOOKS === 'true')
    }
  })
})

it('a cookie with another id or signature is refused', async () => {
  const [name, value] = (await signIn()).split('=') as [string, string]
  const [id, signature] = decodeURIComponent(value).split('.') as [string, string]
  const changed = (text: string) => text.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
  for (const forged of [`${changed(id)}.${signature}`, `${id}.${changed(signature)}`, id, `${id}.`])
    expect([forged, await isIn(`${name}=${encodeURIComponent(forged)}`)]).toEqual([forged, false])
})
