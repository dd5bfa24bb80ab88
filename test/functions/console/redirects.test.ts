import { describe, expect, it } from 'vitest'
import { browse, decode, formIn, unsigned, wordsOf } from '../../support/console.ts'
import { makeSite } from '../../support/site.ts'

describe('the page of redirects', () => {
  it('adds a redirect to a post by its path, and removes it', async () => {
    const site = await makeSite()
    await site.put('chains', { status: 'published' })
    const { at, submit } = await browse(site, '/content/redirects')
    const saved = await submit('/new', { from: '/2019/05/chains/', to: '/blog/chains' })
    expect(unsigned(saved.location)).toBe(`${at()}?done=saved&of=%2F2019%2F05%2Fchains%2F`)
    expect(saved.words).toMatch(/Redirect saved\. .* \/2019\/05\/chains \/blog\/chains \S/)
    expect(saved.page.text).toContain(`/content/posts/chains"`)
    expect((await submit('/removal', formIn(saved.page, '/removal').fields)).words).toContain(
      'The redirect from /2019/05/chains was removed. Undo',
    )
    expect((await site.manage('GET', '/redirects')).items).toEqual([])
  })

  it('offers to undo a removal in a list that keeps its search, unless somebody has added another', async () => {
    const site = await makeSite()
    await site.put('chains', { status: 'published' })
    const list = async () => (await site.manage('GET', '/redirects')).items
    const redirects = [{ from: '/old', to: '/blog/chains' }]
    await site.manage('PUT', '/redirects', { redirects })
    const { at, open, submit } = await browse(site, '/content/redirects')
    const before = await list()
    const removed = await submit('/removal', formIn(await open('?search=old'), '/removal').fields)
    expect(removed.location).toContain(`${at()}?search=old&`)
    const { action, fields } = formIn(removed.page, 'Undo')
    const undone = await submit(action, fields)
    expect(undone.location).toContain(`${at()}?search=old&`)
    expect(undone.words).toContain('The redirect from /old was restored.')
    expect(await list()).toMatchObject([{ ...before[0], createdAt: expect.any(String) }])
    await submit('/removal', fields)
    await site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/else' }] })
    expect((await submit(action, fields)).words).toContain('/old already redirects elsewhere')
    expect((await open('?done=removed&of=/old&to=https://evil.example.com')).text).not.toContain('Undo')
  })

  it('restores the target that was removed, even if the list was older', async () => {
    const site = await makeSite()
    const { open, submit } = await browse(site, '/content/redirects')
    const put = (to: string) => site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to }] })
    await put('/a-stale')
    const older = await open()
    await put('/b?x=1')
    const removed = await submit('/removal', formIn(older, '/removal').fields)
    const { action, fields } = formIn(removed.page, 'Undo')
    await submit(action, fields)
    expect((await site.manage('GET', '/redirects')).items).toMatchObject([{ from: '/old', to: '/b?x=1' }])
  })

  it.each([
    ['an old slug', []],
    ['an old slug and an address', [{ from: '/blog/old', to: '/else' }]],
  ])('cannot undo the removal of %s', async (_, redirects) => {
    const site = await makeSite()
    await site.put('old', { status: 'published' })
    await site.manage('PUT', '/posts/old/slug', { slug: 'new' })
    if (redirects.length > 0) await site.manage('PUT', '/redirects', { redirects })
    const { submit } = await browse(site, '/content/redirects')
    const { words } = await submit('/removal', { from: '/blog/old' })
    expect(words).toContain('The redirect from /blog/old was removed.')
    expect(words).not.toContain('Undo')
    expect((await site.manage('GET', '/redirects')).items).toEqual([])
  })

  it('marks a redirect to the path that a post would have in the default language', async () => {
    const site = await makeSite()
    await site.put('ketten', { status: 'published', language: 'de' })
    const redirects = ['/blog/ketten?x=1', '/de/blog/ketten', '/blog/none'].map((to, at) => ({
      from: `/${at}`,
      to,
    }))
    await site.manage('PUT', '/redirects', { redirects })
    const page = wordsOf(await (await browse(site, '/content/redirects')).open())
    expect(page).toContain('/blog/ketten?x=1 Post is under /de')
    expect(page.match(/Post is under/g)).toHaveLength(1)
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
    expect(wordsOf(first)).toMatch(/\/waits \/blog\/draft Inactive: leads to a draft/)
    const second = await open(decode(/href="([^"]+\?cursor=[^"]+)">Next page</.exec(first.text)![1]!))
    const shown = [first, second].flatMap(({ text }) => [...text.matchAll(/>\/old-(\d+)%3Cb%3E<\/code>/g)])
    expect(new Set(shown.map(([, n]) => n)).size).toBe(51)
    expect(second.text).toContain('>First page</a>')
  })

  it('finds redirects by words of the path or the target, also of old slugs, and counts them', async () => {
    const site = await makeSite()
    for (const slug of ['chains', 'brakes']) await site.put(slug, { status: 'published' })
    await site.manage('PUT', '/posts/chains/slug', { slug: 'clean-chains' })
    const redirects = [
      { from: '/2019/oil', to: '/blog/clean-chains' },
      { from: '/2020/news', to: 'https://example.org/archive?y=1' },
    ]
    await site.manage('PUT', '/redirects', { redirects })
    const { open } = await browse(site, '/content/redirects')
    const find = async (search: string) => {
      const page = await open(`?${new URLSearchParams({ search })}`)
      return [...page.text.matchAll(/name="from" value="([^"]*)"/g)].map(([, from]) => from)
    }
    expect(await find('/blog/CHAINS')).toEqual(['/blog/chains'])
    expect((await find('clean')).toSorted()).toEqual(['/2019/oil', '/blog/chains'])
    expect(await find('example.org archive')).toEqual(['/2020/news'])
    expect(await find('100%')).toEqual([])
    expect(wordsOf(await open())).toContain('3 redirects')
    expect(wordsOf(await open('?search=nothing'))).toContain('No redirects match')
  })
})
