import { describe, expect, it } from 'vitest'
import { errorBeside, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { manage } from '../../support/site.ts'

describe('a new site', () => {
  it('is created by its form, and its API page follows', async () => {
    const cookie = await signIn()
    const form = { name: ' <b>Blog</b> & more ', domain: 'Blog.Example.com' }
    const { status, location } = await visit('/console/sites', { cookie, form })
    expect(status).toBe(303)
    const page = await visit(location!, { cookie })
    expect(wordsOf(page)).toContain('No keys yet')
    expect(page.text).toContain('&lt;b&gt;Blog&lt;/b&gt; &amp; more')
    const id = location!.split('/')[3]
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({
      name: '<b>Blog</b> & more',
      domain: 'blog.example.com',
    })
    expect((await visit('/console/sites', { cookie })).text).toContain(`href="${location}"`)
  })

  it.each([
    [{ name: '', domain: 'a.example.com' }, 'name', 'Name is required.'],
    [{ name: ' ', domain: 'a.example.com' }, 'name', 'Name must be at least 1 character.'],
    [
      { name: 'A', domain: 'https://a.example.com' },
      'domain',
      'Domain must be a domain name such as example.com.',
    ],
    [{ name: 'A\0', domain: 'a.example.com' }, 'name', 'Name must not contain NUL.'],
  ])('that is invalid, %j, shows the form again with what was entered', async (form, field, words) => {
    const answer = await visit('/console/sites', { cookie: await signIn(), form })
    expect(answer.status).toBe(400)
    expect(errorBeside(field, answer)).toBe(words)
    expect(filledIn('domain', answer)).toBe(form.domain)
    expect(wordsOf(answer)).toContain('Nothing was saved. One field needs a change.')
  })
})

describe('the list of sites', () => {
  it('has links to older pages and back to the newest', async () => {
    for (let i = 0; i < 51; i++)
      await manage('POST', '/sites', { name: `Site ${i}`, domain: 'a.example.com' })
    const cookie = await signIn()
    const first = await visit('/console/sites', { cookie })
    const older = /href="(\/console\/sites\?cursor=[^"]+)"/.exec(first.text)![1]!
    const second = await visit(older, { cookie })
    expect(wordsOf(first)).toContain('Site 50 ')
    expect(wordsOf(first)).not.toContain('Site 0 ')
    expect(wordsOf(second)).toContain('Site 0 ')
    expect(second.text).toContain('<a class="button" href="/console/sites">Newest</a>')
  })
})
