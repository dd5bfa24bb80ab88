import { describe, expect, it } from 'vitest'
import { browse, chooseIn, decode, openedIn, unsigned, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

const listed = async (site: TestSite) => (await site.manage('GET', '/redirects')).items

describe('the page of redirects', () => {
  it('adds a redirect to a post by its path, and removes it', async () => {
    const site = await makeSite()
    await site.put('chains', { status: 'published' })
    const { at, submit } = await browse(site, '/content/redirects')
    const saved = await submit('', { from: '/2019/05/chains/', to: '/blog/chains' })
    expect(unsigned(saved.location)).toBe(`${at()}?done=saved`)
    expect(saved.words).toMatch(/Redirect saved\. .* \/2019\/05\/chains \/blog\/chains Active /)
    expect(saved.page.text).toContain(`/content/posts/chains"`)
    expect((await submit('/removal', { from: '/2019/05/chains' })).words).toContain('Redirect removed')
    expect(await listed(site)).toEqual([])
  })

  it('asks for confirmation before it changes an existing redirect', async () => {
    const site = await makeSite()
    await site.put('chains', { status: 'published' })
    const { open, submit } = await browse(site, '/content/redirects')
    const save = async (from: string, to: string) => submit('', { from, to, opened: openedIn(await open()) })
    expect((await save('/old', '/blog/chains')).status).toBe(303)
    expect((await save('/old', '/blog/chains')).status).toBe(303)
    const question = await save('/old/', '/else')
    expect([question.status, (await listed(site))[0]!.to]).toEqual([409, '/blog/chains'])
    expect(question.words).toMatch(
      /already redirects elsewhere .* Saved version \/blog\/chains Your version \/else/,
    )
    for (const [choice, to] of [
      [0, '/blog/chains'],
      [1, '/else'],
    ] as const) {
      const { action, fields } = chooseIn(question, { to: choice })
      expect((await submit(action, fields)).status).toBe(303)
      expect(await listed(site)).toMatchObject([{ from: '/old', to }])
    }
  })

  it('has pages, and marks redirects that are not served', async () => {
    const site = await makeSite()
    await site.put('draft')
    const { open } = await browse(site, '/content/redirects')
    const redirects = Array.from({ length: 51 }, (_, n) => ({ from: `/old-${n}<b>`, to: '/new' }))
    await site.manage('PUT', '/redirects', { redirects })
    await site.manage('PUT', '/redirects', {
      redirects: [{ from: '/waits', resource: 'post', slug: 'draft' }],
    })
    const first = await open()
    expect(wordsOf(first)).toContain('/waits /blog/draft Inactive')
    const second = await open(decode(/href="([^"]+\?cursor=[^"]+)">Older</.exec(first.text)![1]!))
    const shown = [first, second].flatMap(({ text }) => [...text.matchAll(/wraps">\/old-(\d+)%3Cb%3E</g)])
    expect(new Set(shown.map(([, n]) => n)).size).toBe(51)
    expect(second.text).toContain('>Newest</a>')
  })
})
