import { describe, expect, it } from 'vitest'
import { outOfTime } from '../../support/clock.ts'
import { browse, unsigned, wordsOf } from '../../support/console.ts'
import { A_PART, largeSite, remains } from '../../support/deletion.ts'
import { makeSite, manage, tryManage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const DELETION = '/settings/deletion'

/** The state after an interrupted deletion. */
const interrupt = (id: string) => runSql('update sites set deletion_started_at = now() where id = $1', [id])

describe('deleting a site', () => {
  it('starts in its settings, requires its name, and then refuses its key', async () => {
    const site = await makeSite()
    await site.put('a')
    // A revoked key cannot stop working.
    const revoked = await site.manage('POST', '/keys', { name: 'Old', access: 'full' })
    await site.manage('PUT', `/keys/${revoked.id}/revocation`)
    const { at, open, read, submit } = await browse(site)
    expect((await open('/settings')).text).toContain(`href="${at(DELETION)}">Delete site…</a>`)
    expect(await read(DELETION)).toMatch(
      /Delete the site “Test”\? This deletes 1 post and 1 key , and .* Keys stop working .* cannot be undone/,
    )
    const { status, location, words, page } = await submit(DELETION, { name: 'Test' })
    expect([status, unsigned(location)]).toEqual([303, '/console/sites?done=deleted&of=Test'])
    expect(words).toContain('Site “Test” deleted.')
    expect(page.text).not.toContain(site.id)
    expect((await site.get('/posts')).status).toBe(401)
    expect((await tryManage('GET', `/sites/${site.id}`)).status).toBe(404)
  })

  it.each([
    ['with line breaks as a page shows it', 'Two\n  lines', 'Two lines'],
    ['in another normal form', 'Caf\u00e9', 'Cafe\u0301'],
  ])('accepts a name %s', async (_, name, typed) => {
    const { id } = await makeSite()
    // New names cannot have line breaks.
    await runSql('update sites set name = $1 where id = $2', [name, id])
    expect((await (await browse({ id })).submit(DELETION, { name: typed })).status).toBe(303)
  })

  it('of a large site continues after the form is answered, as the list says', async () => {
    const site = await largeSite()
    const { submit } = await browse(site)
    const { location, words } = await outOfTime(A_PART, () => submit(DELETION, { name: 'Test' }))
    expect(unsigned(location)).toBe('/console/sites?done=deleting&of=Test')
    expect(words).toContain('Site “Test” is closed. We are deleting its content.')
    await expect.poll(() => remains(site.id)).toEqual([])
  })
})

describe('a site that is being deleted', () => {
  it('is in the list of sites without a link, has only the page that says so, and its forms do nothing', async () => {
    const name = `<b>Half</b> ${crypto.randomUUID()}`
    const { id } = await makeSite({ name })
    await interrupt(id)
    const { at, open, read } = await browse({ id })
    const list = await open(`/console/sites?${new URLSearchParams({ search: name })}`)
    expect(wordsOf(list)).toContain(`${name} Being deleted`)
    expect(list.text).not.toContain(id)
    expect(wordsOf(list)).not.toContain('Attention')
    for (const page of ['/api', '/content', '/settings', '/content/posts/settings/deletion'])
      expect((await open(page)).location).toBe(at(DELETION))
    const form = { name: 'Changed', domain: 'a.example.com' }
    expect((await open('/settings', { form })).location).toBe(at(DELETION))
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name })
    expect(await read(DELETION)).toMatch(/is being deleted .* is still stored and is being deleted\.$/)
  })
})
