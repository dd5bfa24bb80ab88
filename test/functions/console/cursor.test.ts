import { expect, it } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { makeSite } from '../../support/site.ts'

it.each([
  '/sites',
  '/audit-log',
  '/sites/{id}/integrations/deliveries',
  '/sites/{id}/content/training',
  '/sites/{id}/audit-log',
])('%s refuses an invalid cursor, and does not fall back to the first page', async (list) => {
  const { id } = await makeSite()
  const page = await visit(`/console${list.replace('{id}', id)}?cursor=abc`, { cookie: await signIn() })
  expect(page.status).toBe(400)
  expect(wordsOf(page)).toContain('cursor must be the cursor of a page link')
})
