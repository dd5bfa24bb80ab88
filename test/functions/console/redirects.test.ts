import { describe, expect, it } from 'vitest'
import { chooseIn, openedIn, signIn, unsigned, visit, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

const pathOf = (site: TestSite) => `/console/sites/${site.id}/content/redirects`
const listed = async (site: TestSite) => (await site.manage('GET', '/redirects')).items

describe('the page of redirects', () => {
  it('adds a redirect to a post by its path, and removes it', async () => {
    const site = await makeSite()
    const cookie = await signIn()
    await site.put('chains', { status: 'published' })
    expect(wordsOf(await visit(pathOf(site), { cookie }))).toContain('No redirects yet')
    const form = { from: '/2019/05/chains/', to: '/blog/chains' }
    const saved = await visit(pathOf(site), { cookie, form })
    expect(unsigned(saved.location)).toBe(`${pathOf(site)}?done=saved`)
    const page = await visit(saved.location!, { cookie })
    expect(wordsOf(page)).toMatch(/Redirect saved\. .* \/2019\/05\/chains \/blog\/chains Active /)
    expect(page.text).toContain(`/content/posts/chains"`)
    const removed = await visit(`${pathOf(site)}/removal`, { cookie, form: { from: '/2019/05/chains' } })
    expect(wordsOf(await visit(removed.location!, { cookie }))).toContain('Redirect removed')
    expect(await listed(site)).toEqual([])
  })

  it('has each error at its field, and keeps the typed text', async () => {
    const site = await makeSite()
    const cookie = await signIn()
    for (const [from, to, message] of [
      ['/?p=1', '/a', 'From must have neither a query nor a fragment.'],
      ['/a', '/a/', 'To must not lead back to the address itself.'],
      ['/a', '', 'To must be a path that begins with one &quot;/&quot;, or an http or https URL.'],
    ] as const) {
      const { status, text } = await visit(pathOf(site), { cookie, form: { from, to } })
      expect(status).toBe(400)
      expect(text).toContain(message)
      expect(text).toContain(`value="${from}"`)
    }
    expect(await listed(site)).toEqual([])
  })

  it('asks for confirmation before it changes an existing redirect', async () => {
    const site = await makeSite()
    const cookie = await signIn()
    await site.put('chains', { status: 'published' })
    const save = async (from: string, to: string) => {
      const opened = openedIn(await visit(pathOf(site), { cookie }))
      return visit(pathOf(site), { cookie, form: { from, to, opened } })
    }
    expect((await save('/old', '/blog/chains')).status).toBe(303)
    expect((await save('/old', '/blog/chains')).status).toBe(303)
    const question = await save('/old/', '/else')
    expect([question.status, (await listed(site))[0]!.to]).toEqual([409, '/blog/chains'])
    expect(wordsOf(question)).toMatch(
      /already redirects elsewhere .* Saved version \/blog\/chains Your version \/else/,
    )
    for (const [choice, to] of [
      [0, '/blog/chains'],
      [1, '/else'],
    ] as const) {
      const { action, fields } = chooseIn(question, { to: choice })
      expect((await visit(action, { cookie, form: fields })).status).toBe(303)
      expect(await listed(site)).toMatchObject([{ from: '/old', to }])
    }
  })

  it('has pages, and marks redirects that are not served', async () => {
    const site = await makeSite()
    const cookie = await signIn()
    await site.put('draft')
    const redirects = Array.from({ length: 51 }, (_, n) => ({ from: `/old-${n}<b>`, to: '/new' }))
    await site.manage('PUT', '/redirects', { redirects })
    await site.manage('PUT', '/redirects', {
      redirects: [{ from: '/waits', resource: 'post', slug: 'draft' }],
    })
    const first = await visit(pathOf(site), { cookie })
    expect(wordsOf(first)).toContain('/waits /blog/draft Inactive')
    const older = /href="([^"]+\?cursor=[^"]+)">Older</.exec(first.text)![1]!.replaceAll('&amp;', '&')
    const second = await visit(older, { cookie })
    const shown = [first, second].flatMap(({ text }) => [...text.matchAll(/wraps">\/old-(\d+)%3Cb%3E</g)])
    expect(new Set(shown.map(([, n]) => n)).size).toBe(51)
    expect(second.text).toContain('>Newest</a>')
  })
})
