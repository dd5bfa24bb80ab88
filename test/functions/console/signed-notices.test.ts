import { beforeAll, describe, expect, it } from 'vitest'
import { signIn, unsigned, visit, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

let cookie: string
let site: TestSite
beforeAll(async () => {
  cookie = await signIn()
  site = await makeSite()
  await site.put('one')
})

const open = async (path: string) => wordsOf(await visit(path, { cookie }))

describe('a forged link', () => {
  it.each([
    ['/content?done=publish&changed=999&already=3', /999|already published/],
    ['/content?done=unpublish&stayed=2&of=3', /changed since/],
    ['/content?done=deleted', /Post deleted/],
    ['/content/guides?done=deleted', /Guide deleted/],
    ['/content/posts/one?done=scheduled', /Scheduled\./],
    ['/content/posts/one?unscheduled=2030-01-31T10:00:00.000Z', /schedule for .* was cancelled/],
    ['/content/posts/one?done=resent', /Resent\./],
    ['/content/training?done=in&changed=7', /7 rows/],
    ['/settings?done=saved', /Settings saved/],
    ['/settings?rebuilt=500&more=yes', /500 posts/],
    ['/settings?done=published#sitemap', /Sitemap published/],
    ['/integrations/deliveries?done=began', /Resend started/],
    ['/integrations/deliveries?refused=unseen', /Nothing is sent/],
    ['/content/posts/one?delayed=60', /readers do not see it yet/],
  ])('shows no message that did not happen: %s', async (below, claim) => {
    const path = `/console/sites/${site.id}${below}`
    const page = await visit(path, { cookie })
    expect(page.status).toBe(200)
    expect(wordsOf(page)).not.toMatch(claim)
    expect(await open(`${path.split('#')[0]}&sig=${'0'.repeat(32)}`)).not.toMatch(claim)
  })

  it.each([
    ['/console/sites?done=deleted', 'Site deleted'],
    ['/console/people?done=removed', 'Person removed'],
    ['/console/sign-in?out=5', 'sessions ended'],
  ])('does not show %s either', async (path, claim) => {
    const isPublic = path.includes('sign-in')
    expect(wordsOf(await visit(path, isPublic ? {} : { cookie }))).not.toContain(claim)
  })
})

describe('the redirect after a form', () => {
  const publish = async (slug: string) => {
    const body = new URLSearchParams([
      ['change', 'publish'],
      ['slug', slug],
    ])
    const headers = { Origin: 'https://api.test', 'Content-Type': 'application/x-www-form-urlencoded' }
    const path = `/console/sites/${site.id}/content/selection?sort=title`
    return (await visit(path, { cookie, method: 'POST', body, headers })).location!
  }

  it('is signed: its page shows the message, also after a reload', async () => {
    const location = await publish('one')
    expect(unsigned(location)).not.toBe(location)
    for (const _ of [1, 2]) expect(await open(location)).toContain('1 post published.')
  })

  it('is signed for its page and its numbers only', async () => {
    const location = await publish('one')
    expect(await open(location.replace('already=1', 'already=100'))).not.toContain('already published')
    const other = await makeSite()
    expect(await open(location.replaceAll(site.id, other.id))).not.toContain('already published')
    expect(await open(location)).toContain('1 post was already published.')
  })
})
