import { describe, expect, it } from 'vitest'
import { makeSite, type Page } from '../support/site.ts'

describe('200', () => {
  it('gives drafts and published posts, newest update first, with totals', async () => {
    const site = await makeSite()
    await site.put('first', { title: 'First', status: 'published' })
    await site.put('second', { title: 'Second' })
    const page = await site.json<Page>('/posts?pageSize=1')
    expect(page.items.map((post) => post.slug)).toEqual(['second'])
    expect(page).toMatchObject({ page: 1, pageSize: 1, total: 2, totalPages: 2 })
  })
})
