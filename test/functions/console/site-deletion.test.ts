import { describe, expect, it } from 'vitest'
import { outOfTime } from '../../support/clock.ts'
import { errorBeside, filledIn, signIn, unsigned, visit, wordsOf } from '../../support/console.ts'
import { A_PART, largeSite, remains } from '../../support/deletion.ts'
import { makeSite, manage, tryManage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

const below = (id: string, page: string) => `/console/sites/${id}${page}`

/** The state after an interrupted deletion. */
const interrupt = (id: string) => runSql('update sites set deletion_started_at = now() where id = $1', [id])

describe('deleting a site', () => {
  it('starts in its settings, and lists what will be deleted', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const path = below(id, '/settings/deletion')
    expect((await visit(below(id, '/settings'), { cookie })).text).toContain(`href="${path}">Delete site</a>`)
    const page = await visit(path, { cookie })
    expect(wordsOf(page)).toMatch(/Delete the site “Test”\? Its keys stop working .* cannot be undone/)
    expect(await callsOf(() => visit(path, { cookie }))).toBeLessThanOrEqual(3)
  })

  it('requires its name; then its key is refused, and the list of sites says that it is deleted', async () => {
    const site = await makeSite()
    await site.put('a')
    const cookie = await signIn()
    const answer = await visit(below(site.id, '/settings/deletion'), { cookie, form: { name: 'Test' } })
    expect([answer.status, unsigned(answer.location)]).toEqual([303, '/console/sites?done=deleted'])
    const list = await visit(answer.location!, { cookie })
    expect(wordsOf(list)).toContain('Site deleted.')
    expect(list.text).not.toContain(site.id)
    expect((await site.get('/posts')).status).toBe(401)
    expect((await tryManage('GET', `/sites/${site.id}`)).status).toBe(404)
  })

  it.each(['test', 'Tes', '', '"><b>'])(
    'with the name %j is refused with an error at the field',
    async (name) => {
      const site = await makeSite()
      const cookie = await signIn()
      const answer = await visit(below(site.id, '/settings/deletion'), { cookie, form: { name } })
      expect(answer.status).toBe(400)
      expect(errorBeside('name', answer)).toBe("Name must be the site's name.")
      expect(filledIn('name', answer)).toBe(name)
      expect(wordsOf(answer)).toContain('Nothing was deleted.')
      expect((await site.get('/posts')).status).toBe(200)
    },
  )

  it('accepts a name with line breaks as a page shows it', async () => {
    const { id } = await makeSite()
    // New names cannot have any.
    await runSql('update sites set name = $1 where id = $2', ['Two\n  lines', id])
    const answer = await visit(below(id, '/settings/deletion'), {
      cookie: await signIn(),
      form: { name: 'Two lines' },
    })
    expect(answer.status).toBe(303)
  })

  it('accepts a name that is typed in another normal form', async () => {
    const { id } = await makeSite({ name: 'Caf\u00e9' })
    const form = { name: 'Cafe\u0301' }
    const answer = await visit(below(id, '/settings/deletion'), { cookie: await signIn(), form })
    expect(answer.status).toBe(303)
  })
})

describe('a large site', () => {
  it('is being deleted when the form is answered, as the list says', async () => {
    const site = await largeSite()
    const cookie = await signIn()
    const asking = () => visit(below(site.id, '/settings/deletion'), { cookie, form: { name: 'Test' } })
    const answer = await outOfTime(A_PART, asking)
    expect([answer.status, unsigned(answer.location)]).toEqual([303, '/console/sites?done=deleting'])
    expect(wordsOf(await visit(answer.location!, { cookie }))).toContain(
      'Deleting its content continues in the background.',
    )
    await expect.poll(() => remains(site.id)).toEqual([])
  })
})

describe('a site that is being deleted', () => {
  it('is shown in the list of sites, without a link', async () => {
    const { id } = await makeSite({ name: '<b>Half</b> gone' })
    await interrupt(id)
    const cookie = await signIn()
    const list = await visit('/console/sites?search=Half', { cookie })
    expect(wordsOf(list)).toContain('<b>Half</b> gone Being deleted')
    expect(list.text).not.toContain(id)
  })

  it('has only the page that says so, and its forms do nothing', async () => {
    const { id } = await makeSite()
    await interrupt(id)
    const cookie = await signIn()
    const deletion = below(id, '/settings/deletion')
    for (const page of ['/api', '/content', '/settings', '/content/posts/settings/deletion']) {
      expect((await visit(below(id, page), { cookie })).location).toBe(deletion)
    }
    const form = { name: 'Changed', domain: 'a.example.com' }
    expect((await visit(below(id, '/settings'), { cookie, form })).location).toBe(deletion)
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name: 'Test' })
    expect(wordsOf(await visit(deletion, { cookie }))).toMatch(
      /“Test” is being deleted .* is still stored and is being deleted\.$/,
    )
  })
})
