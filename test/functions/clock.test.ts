import { expect, it } from 'vitest'
import { makeSite, type Page } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

it('after the database had a clock that was ahead, updatedAt and ETags still change with each write', async () => {
  const site = await makeSite()
  await site.put('a')
  await runSql("update sites set last_sequence = now() + interval '1 day' where id = $1", [site.id])
  await site.put('a', { title: 'Ahead' })
  const ahead = await site.get('/posts')
  const updatedAt = String((await ahead.json<Page>()).items[0]!.updatedAt)
  expect(Date.parse(updatedAt)).toBeGreaterThan(Date.now() + 80_000_000)

  await site.put('a', { title: 'After' })
  const headers = { 'If-None-Match': ahead.headers.get('ETag')! }
  expect((await site.get('/posts', { headers })).status).toBe(200)
  const { items } = await site.json<Page>(`/posts?updatedAfter=${encodeURIComponent(updatedAt)}`)
  expect(items).toMatchObject([{ title: 'After' }])
})
