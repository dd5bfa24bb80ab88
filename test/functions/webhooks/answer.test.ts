import { describe, expect, it } from 'vitest'
import { hand, lostEvent } from '../../support/outbox.ts'
import { deliveries } from '../../support/webhook.ts'

type Answer = {
  status: number | null
  error: string | null
  answerExcerpt: string | null
  answerTruncated: boolean
  answerHeaders: Record<string, string> | null
}

/** What is kept of the answer to one event. */
async function answerOf(script: string): Promise<Answer> {
  const { site, eventId } = await lostEvent(script)
  await hand([{ eventId }])
  const [{ id } = { id: '' }] = await deliveries(site)
  return site.manage<Answer>('GET', `/deliveries/${id}`)
}

describe('the body of an answer', () => {
  it.each([
    ['whole/1', 1, false],
    ['whole/1024', 1_024, false],
    ['whole/1025', 1_024, true],
    ['endless', 1_024, true],
  ])('%s is kept up to 1,024 bytes, and a flag tells if it is longer', async (script, length, truncated) => {
    const { answerExcerpt, answerTruncated } = await answerOf(script)
    expect([answerExcerpt!.length, answerTruncated]).toEqual([length, truncated])
  })

  it.each(['begun', 'broken'])('that has %s is not taken for whole', async (script) => {
    expect(await answerOf(script)).toMatchObject({
      status: 200,
      error: null,
      answerExcerpt: 'first words',
      answerTruncated: true,
    })
  })

  it('that does not come is not taken for empty, and an empty one is whole', async () => {
    expect(await answerOf('silent')).toMatchObject({ answerExcerpt: null, answerTruncated: true })
    expect(await answerOf('status/204')).toMatchObject({ answerExcerpt: null, answerTruncated: false })
  })
})

describe('the headers of an answer', () => {
  it('are kept if they help, cut at 500 characters, and never cookies', async () => {
    const { error, answerHeaders } = await answerOf('headers')
    expect(error).toBe('http_status')
    expect(answerHeaders).toEqual({
      'retry-after': '120',
      'x-request-id': `${'r'.repeat(499)}…`,
      server: expect.stringMatching(/^s{498}\ufffd…$/u),
      date: expect.any(String),
    })
    for (const value of Object.values(answerHeaders!)) {
      expect([value.length <= 500, value.isWellFormed()]).toEqual([true, true])
    }
  })

  it('are null without an answer', async () => {
    expect(await answerOf('reset')).toMatchObject({
      status: null,
      answerHeaders: null,
      answerTruncated: false,
    })
  })
})
