import { describe, expect, it } from 'vitest'
import { browse, decode, unsigned, wordsOf } from '../../support/console.ts'
import { makeSite } from '../../support/site.ts'

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
    expect((await site.manage('GET', '/redirects')).items).toEqual([])
  })

  it('has pages, and marks redirects that are not served', async () => {
    const site = await makeSite()
    await site.put('draft')
    const { open } = await browse(site, '/content/redirects')
    const redirects = Array.from({ length: 51 }, (_, n) => ({ from: `/old-${n}<b>`, to: '/new' }))
    await site.manage('PUT', '/redirects', { redirects })
    const toDraft = { from: '/waits', resource: 'post', slug: 'draft' }
    await site.manage('PUT', '/redirects', { redirects: [toDraft] })
    const first = await open()
    expect(wordsOf(first)).toContain('/waits /blog/draft Inactive')
    const second = await open(decode(/href="([^"]+\?cursor=[^"]+)">Older</.exec(first.text)![1]!))
    const shown = [first, second].flatMap(({ text }) => [...text.matchAll(/wraps">\/old-(\d+)%3Cb%3E</g)])
    expect(new Set(shown.map(([, n]) => n)).size).toBe(51)
    expect(second.text).toContain('>Newest</a>')
  })
})
