import { expect, it } from 'vitest'
import { makeKey } from '../../support/content.ts'
import { call, makeSite, manage, tryManage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const person = () => `Ada ${crypto.randomUUID()}`

it('erases the name and the addresses of a removed operator everywhere, and keeps the entries', async () => {
  const site = await makeSite()
  const [name, later] = [person(), person()]
  const { id } = await manage('POST', '/operators', { name, role: 'editor' })
  await manage('PATCH', `/operators/${id}`, { name: later })
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  await site.put('roses')
  const asPerson = (path: string) =>
    call(`/manage/v1${site.path}${path}`, { method: 'POST', key: token, body: {} })
  await asPerson('/posts/roses/preview-links')
  expect(await tryManage('PUT', `/operators/${id}/erasure`)).toMatchObject({ status: 409 })
  await manage('DELETE', `/operators/${id}`)
  const { entries } = await manage('PUT', `/operators/${id}/erasure`)
  expect(entries).toBe(4)
  const rows = await runSql(
    `select row_to_json(a)::text as row from audit_log a where actor_id = $1 or resource_id = $1
     union all select row_to_json(p)::text from preview_links p where site_id = $2`,
    [id, site.id],
  )
  const text = JSON.stringify(rows)
  expect(text).not.toContain(name)
  expect(text).not.toContain(later)
  expect(text).toContain('preview_link.created')
  expect(text).toContain('operator.erased')
  expect(await runSql(`select from audit_log where actor_id = $1 and address is not null`, [id])).toEqual([])
  expect(await tryManage('PUT', `/operators/${id}/erasure`)).toMatchObject({ status: 404 })
  const key = await makeKey(site)
  await call(`/api/v1/webhooks/test`, { method: 'POST', key: key.key, body: {} })
  expect(await tryManage('PUT', `/operators/${key.id}/erasure`)).toMatchObject({ status: 404 })
})
