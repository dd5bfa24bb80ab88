/** Failed sign-ins. The counting itself is tested in `test/functions/manage/attempts.test.ts`. */
import { describe, expect, it } from 'vitest'
import { trySignIn, visit, wordsOf } from '../../support/console.ts'
import { bindings } from '../../support/context.ts'
import { ORIGIN, operatorToken } from '../../support/site.ts'

describe('429', () => {
  it.each([
    ['by Redis', {}],
    ['by the isolate, where Redis refuses', { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }],
  ])('answers the sixth try within a minute, also with the right token: %s', async (_, world) => {
    const address = crypto.randomUUID()
    const env = { ...bindings, ...world }
    const attempt = (token: string) => trySignIn(token, { address, env })
    for (let attempts = 1; attempts <= 5; attempts++) expect((await attempt('wrong')).status).toBe(400)
    for (const token of ['wrong', operatorToken]) {
      const answer = await attempt(token)
      expect(answer.status).toBe(429)
      const seconds = Number(answer.headers.get('Retry-After'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(wordsOf(answer)).toContain(`Too many failed attempts. Try again in ${seconds} seconds.`)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect((await trySignIn(operatorToken, { env })).status).toBe(303)
  })

  it('is never sent for right tokens only', async () => {
    const address = crypto.randomUUID()
    for (let attempts = 1; attempts <= 7; attempts++)
      expect((await trySignIn(operatorToken, { address })).status).toBe(303)
  })

  it('is sent before the body is read: anything that is not a form counts as an attempt too', async () => {
    const headers = {
      'CF-Connecting-IP': crypto.randomUUID(),
      'Content-Type': 'multipart/form-data',
      Origin: ORIGIN,
    }
    const attempt = () => visit('/console/sign-in', { method: 'POST', body: 'no form', headers })
    for (let attempts = 1; attempts <= 5; attempts++) expect((await attempt()).status).toBe(400)
    expect((await attempt()).status).toBe(429)
  })
})
