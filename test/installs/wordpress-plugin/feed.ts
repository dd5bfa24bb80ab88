/** Which parts of the feed are imported, and when it is read again. */
import { expect, it } from 'vitest'
import type { Stage } from './stage.ts'

export function feed(on: Stage): void {
  it('imports ready drafts and published posts, unless configured otherwise', async () => {
    const { site } = await on.connected()
    await on.put(site, 'unready')
    await on.put(site, 'public', { status: 'published' })
    await on.putReady(site, 'ready')
    expect((await on.quay.follow()).counts).toEqual({ made: 2, 'left out': 1 })
    expect(await on.why('left out')).toEqual(['it is not marked ready'])
    // Edited after it was ready: it keeps the old text until it is ready again.
    await on.put(site, 'ready', { title: 'Half a thought' })
    await on.quay.follow()
    expect((await on.quay.post('ready'))?.title).toBe('Title of ready')
    await on.markReady(site, 'ready')
    await on.quay.follow()
    expect((await on.quay.post('ready'))?.title).toBe('Half a thought')
    await on.quay.connect(site, { take: 'all', status: 'pending' })
    await on.quay.follow()
    expect((await on.quay.posts()).map(({ slug, status }) => [slug, status]).sort()).toEqual([
      ['public', 'pending'],
      ['ready', 'pending'],
      ['unready', 'pending'],
    ])
    await on.quay.connect(site, { take: 'published', status: 'publish' })
    await on.quay.follow()
    expect((await on.quay.posts()).map(({ slug, status }) => [slug, status])).toEqual([['public', 'publish']])
    await on.quay.connect(site, { start: 'now' })
    expect((await on.quay.follow()).counts).toEqual({})
    await on.putReady(site, 'new')
    await on.quay.follow()
    expect((await on.quay.posts()).map(({ slug }) => slug)).toEqual(['new'])
  })

  it('reads the whole feed again when its cursor is too old, and finds posts that were deleted meanwhile', async () => {
    const { site } = await on.connected()
    for (const slug of ['stays', 'goes', 'goes-edited', 'unready']) await on.putReady(site, slug)
    await on.quay.follow()
    await on.edit((await on.quay.post('goes-edited'))!.id, { post_title: 'Mine' })
    await on.quay.run(
      `return wp_insert_post(['post_title' => 'Of the editor', 'post_author' => 1, 'post_status' => 'draft']);`,
    )
    await on.service.manage('DELETE', `${site.path}/posts/goes`)
    await on.service.manage('DELETE', `${site.path}/posts/goes-edited`)
    await on.put(site, 'unready', { title: 'Half a thought' })
    let expired = 1
    on.quay.answer(() => (expired-- > 0 ? { status: 410, body: '{"error":"Cursor is older"}' } : undefined))
    await on.quay.follow()
    expect((await on.quay.posts()).map(({ title, status }) => [title, status])).toEqual([
      ...[
        ['Title of stays', 'draft'],
        ['Title of goes', 'trash'],
        ['Mine', 'draft'],
      ],
      ...[
        ['Title of unready', 'draft'],
        ['Of the editor', 'draft'],
      ],
    ])
    expect(await on.why('editor asked')).toEqual(['it is gone at its source; changed here: title'])
  })

  it('restores a post that is published again, with a key for published content', async () => {
    const { site } = await on.connected()
    const { key } = await on.service.manage<{ key: string }>('POST', `${site.path}/keys`, {
      name: 'p',
      access: 'published',
    })
    await on.quay.connect({ ...site, key }, { status: 'publish' })
    await on.put(site, 'public', { status: 'published' })
    await on.quay.follow()
    await on.service.manage('DELETE', `${site.path}/posts/public/publication`)
    await on.quay.follow()
    expect((await on.quay.posts()).map(({ status }) => status)).toEqual(['trash'])
    await on.service.manage('PUT', `${site.path}/posts/public/publication`)
    await on.quay.follow()
    expect((await on.quay.posts()).map(({ slug, status }) => [slug, status])).toEqual([['public', 'publish']])
  })
}
