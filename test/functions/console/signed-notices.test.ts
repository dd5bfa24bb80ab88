import { beforeAll, describe, expect, it } from 'vitest'
import { browse, signIn, trySignIn, unsigned, visit } from '../../support/console.ts'
import { makeSite, operatorToken, type TestSite } from '../../support/site.ts'

let site: TestSite
beforeAll(async () => {
  site = await makeSite()
  await site.put('one')
})

describe('a forged link', () => {
  it.each([
    ['/content?done=publish&changed=999&already=3', /999|already published/],
    ['/content?done=deleted', /Post deleted/],
    ['/content/posts/one?done=resolved', /Change request resolved\./],
    ['/content/posts/one?unscheduled=2030-01-31T10:00:00.000Z', /schedule for .* was cancelled/],
    ['/content/training?done=in&changed=7', /\b7 rows/],
    ['/settings?rebuilt=500&more=yes', /500 posts/],
    ['/integrations/deliveries?refused=unseen', /Nothing is sent/],
    ['/content/posts/one?delayed=60', /readers do not see it yet/],
    ['/console/people?done=removed&of=Ada', /Ada was removed/],
    ['/console/sign-in?out=5', /sessions ended/],
  ])('shows no message that did not happen: %s', async (path, claim) => {
    const { open, read } = await browse(site)
    const options = path.includes('sign-in') ? { cookie: '' } : {}
    expect((await open(path, options)).status).toBe(200)
    expect(await read(path, options)).not.toMatch(claim)
    expect(await read(`${path.split('#')[0]}&sig=${'0'.repeat(32)}`, options)).not.toMatch(claim)
  })
})

it.each(['refused=Pay%20me', '%64one=deleted&of=EVIL'])(
  'signing in does not sign the notice of a forged page: %s',
  async (claims) => {
    const next = `/console/alerts?${claims}&sig=x&x=1`
    const cookie = await signIn()
    const skipped = await visit(`/console/sign-in?${new URLSearchParams({ next })}`, { cookie })
    const signedIn = await trySignIn(operatorToken, { next })
    expect([skipped.location, signedIn.location]).toEqual(Array(2).fill('/console/alerts?x=1'))
  },
)

describe('the redirect after a form', () => {
  const publish = async () =>
    (await (await browse(site)).submit('/content/selection?sort=title', { change: 'publish', slug: 'one' }))
      .location!
  const read = async (path: string) => (await browse(site)).read(path)

  it('is signed: its page shows the message, also after a reload', async () => {
    const location = await publish()
    expect(unsigned(location)).not.toBe(location)
    for (const _ of [1, 2]) expect(await read(location)).toContain('1 post published.')
  })

  it('is signed for its page and its numbers only', async () => {
    const location = await publish()
    expect(await read(location.replace('already=1', 'already=100'))).not.toContain('already published')
    const other = await makeSite()
    expect(await read(location.replaceAll(site.id, other.id))).not.toContain('already published')
    expect(await read(location)).toContain('1 post was already published.')
  })
})
