/** Editors' changes, which are never overwritten. */
import { expect, it } from 'vitest'
import type { Stage } from './stage.ts'

export function editors(on: Stage): void {
  it.each([
    ['title', { post_title: 'My title' }],
    ['body', { post_content: '<p>My body</p>' }],
    ['excerpt', { post_excerpt: 'My excerpt' }],
    ['slug', { post_name: 'my-slug' }],
    ['tags', { tags_input: ['mine'] }],
    ['author', { post_author: 2 }],
  ])("asks before it overwrites an editor's change to the %s", async (field, columns) => {
    const { site } = await on.connected()
    await on.putReady(site, 'edited', { tags: ['theirs'] })
    await on.quay.follow()
    const { id } = (await on.quay.post('edited'))!
    await on.edit(id, columns)
    const mine = (await on.quay.posts())[0]!
    await on.putReady(site, 'edited', { title: 'Their title', tags: ['theirs'] })
    expect((await on.quay.follow()).counts).toEqual({ 'editor asked': 1 })
    expect(await on.why('editor asked')).toEqual([`changed here: ${field}`])
    expect({ ...(await on.quay.posts())[0]!, metas: 0 }).toEqual({ ...mine, metas: 0 })
  })

  it("keeps the editor's version or takes the new one, as they choose", async () => {
    const { site } = await on.connected()
    await on.putReady(site, 'answered')
    await on.quay.follow()
    const { id } = (await on.quay.post('answered'))!
    await on.edit(id, { post_title: 'Mine <script>alert(1)</script>' })
    await on.putReady(site, 'answered', { title: 'Theirs' })
    await on.quay.follow()
    expect((await on.answerNotice(id, 'take', 'bob')).status).toBe(403)
    const { form, status } = await on.answerNotice(id, 'keep')
    expect(status).toBe(302)
    expect(form).not.toContain('<script')
    // The same version causes no second notice.
    await on.service.manage('DELETE', `${site.path}/posts/answered/readiness`).catch(() => null)
    await on.markReady(site, 'answered').catch(() => null)
    await on.quay.follow()
    expect((await on.quay.post('answered'))!.metas._headless_content_question).toBeUndefined()
    await on.putReady(site, 'answered', { title: 'Theirs, later' })
    await on.quay.follow()
    const old = (await on.quay.post('answered'))!
    expect(old).toMatchObject({ title: expect.stringContaining('Mine') })
    await on.putReady(site, 'answered', { title: 'Theirs, latest' })
    await on.quay.follow()
    expect((await on.answerNotice(id, 'take')).status).toBe(302)
    expect(await on.quay.post('answered')).toMatchObject({ title: 'Theirs, latest', status: 'draft' })
    await on.putReady(site, 'answered', { title: 'And on' })
    expect((await on.quay.follow()).counts).toEqual({ updated: 1 })
  })

  it('leaves status and a numbered slug to WordPress, and counts neither as an edit', async () => {
    const { site } = await on.connected()
    await on.quay.run(
      `return wp_insert_post(['post_title' => 'Mine', 'post_name' => 'taken', 'post_author' => 1, 'post_status' => 'publish']);`,
    )
    await on.putReady(site, 'taken')
    await on.quay.follow()
    const id = (await on.quay.posts()).at(-1)!.id
    await on.edit(id, { post_status: 'publish' })
    expect((await on.quay.posts()).at(-1)).toMatchObject({ slug: 'taken-2', status: 'publish' })
    await on.putReady(site, 'taken', { title: 'New' })
    expect((await on.quay.follow()).counts).toEqual({ updated: 1 })
    expect((await on.quay.posts()).at(-1)).toMatchObject({ slug: 'taken-2', status: 'publish', title: 'New' })
  })

  it('moves an unedited post to the trash when its article is deleted, and asks about others', async () => {
    const { site } = await on.connected()
    const slugs = ['untouched', 'changed', 'live', 'was-live', 'binned', 'renamed']
    for (const slug of slugs) await on.putReady(site, slug)
    await on.quay.follow()
    const before = await on.quay.posts()
    const id = (slug: string) => before.find((post) => post.slug === slug)!.id
    await on.edit(id('changed'), { post_content: 'Mine' })
    await on.edit(id('live'), { post_status: 'publish' })
    await on.edit(id('was-live'), { post_status: 'publish' })
    await on.edit(id('was-live'), { post_status: 'draft' })
    await on.quay.run(`return wp_trash_post(${id('binned')});`)
    // A new slug is a deletion of the old one in the feed, here pages before the post itself.
    await on.service.manage('PUT', `${site.path}/posts/renamed/slug`, { slug: 'other-name' })
    for (let number = 0; number < 25; number++) await on.put(site, `filler-${number}`)
    await on.put(site, 'other-name', { title: 'Renamed' })
    await on.markReady(site, 'other-name')
    for (const slug of slugs.slice(0, 5)) await on.service.manage('DELETE', `${site.path}/posts/${slug}`)
    await on.quay.follow()
    const status = new Map((await on.quay.posts()).map((post) => [post.id, post.status]))
    expect(slugs.map((slug) => [slug, status.get(id(slug))])).toEqual([
      ...[
        ['untouched', 'trash'],
        ['changed', 'draft'],
        ['live', 'publish'],
        ['was-live', 'draft'],
      ],
      ...[
        ['binned', 'trash'],
        ['renamed', 'draft'],
      ],
    ])
    expect(await on.quay.post('other-name')).toMatchObject({ id: id('renamed'), title: 'Renamed' })
    expect((await on.why('editor asked')).sort()).toEqual([
      'it is gone at its source; changed here: body',
      ...Array(2).fill('it is gone at its source; changed here: status'),
    ])
    expect((await on.why('put into the bin')).length).toBe(1)
    await on.answerNotice(id('live'), 'keep')
    await on.answerNotice(id('changed'), 'take')
    const after = new Map((await on.quay.posts()).map((post) => [post.id, post.status]))
    expect([after.get(id('live')), after.get(id('changed'))]).toEqual(['publish', 'trash'])
  })
}
