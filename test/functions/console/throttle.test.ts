import { describe, expect, inject, it } from 'vitest'
import { trySignIn, visit, wordsOf } from '../../support/console.ts'
import { ORIGIN, operatorToken } from '../../support/site.ts'

describe('429', () => {
  it.each([
    ['by Redis', () => ({})],
    ['by the isolate, where Redis refuses', () => ({ UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })],
    [
      'by the isolate, where Redis hangs',
      () => ({ UPSTASH_REDIS_REST_URL: `${inject('receiver')}/redis/hang` }),
    ],
  ])('answers the sixth try within a minute, with the right token as well: %s', async (_, world) => {
    const address = crypto.randomUUID()
    const attempt = (token: string) => trySignIn(token, { address, world: world() })
    for (let tries = 1; tries <= 5; tries++) expect((await attempt('wrong')).status).toBe(400)
    for (const token of ['wrong', operatorToken]) {
      const answer = await attempt(token)
      expect(answer.status).toBe(429)
      const seconds = Number(answer.headers.get('Retry-After'))
      expect(seconds).toBeGreaterThan(40)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(wordsOf(answer)).toContain(`Too many failed attempts. Try again in ${seconds} seconds.`)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect((await trySignIn(operatorToken, { world: world() })).status).toBe(303)
  })

  it('never answers the right token alone', async () => {
    const address = crypto.randomUUID()
    for (let tries = 1; tries <= 7; tries++) {
      expect((await trySignIn(operatorToken, { address })).status).toBe(303)
    }
  })

  it('answers before anything that was sent is read: what is no form is a try as well', async () => {
    const address = crypto.randomUUID()
    const attempt = () =>
      visit('/console/sign-in', {
        method: 'POST',
        body: 'no form',
        headers: { 'CF-Connecting-IP': address, 'Content-Type': 'multipart/form-data', Origin: ORIGIN },
      })
    for (let tries = 1; tries <= 5; tries++) expect((await attempt()).status).toBe(400)
    expect((await attempt()).status).toBe(429)
  })

  it('answers all but five of many tries at once', async () => {
    const address = crypto.randomUUID()
    const answers = await Promise.all(Array.from({ length: 12 }, () => trySignIn('wrong', { address })))
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
  })
})
