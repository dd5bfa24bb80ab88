/** Forms that create a secret. The preview links of a draft are in `test/functions/preview-links.test.ts`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { browse, unsigned } from '../../support/console.ts'
import { makeSite, manage, type TestSite } from '../../support/site.ts'

let site: TestSite
let person: string
beforeAll(async () => {
  site = await makeSite()
  const name = `ada-${crypto.randomUUID()}`
  const { id } = await manage('POST', '/operators', { name, role: 'viewer' })
  person = `/console/people/${id}`
})

type Creation = {
  path: () => string
  form?: Record<string, string>
  secret: RegExp
  /** A page that lists what was created. */
  listedOn: () => string
}

const CREATIONS: Record<string, Creation> = {
  'a key': {
    path: () => '/keys',
    form: { name: 'CMS', access: 'full' },
    secret: /hca_live_\w{38}/,
    listedOn: () => '/api',
  },
  'a webhook': {
    path: () => '/integrations/webhook',
    form: { new: '1', url: 'https://cms.example.org/' },
    secret: /whsec_[A-Za-z0-9+/]{43}=/,
    listedOn: () => '/integrations',
  },
  'a token': { path: () => `${person}/tokens`, secret: /hca_operator_\w{38}/, listedOn: () => person },
  'a sign-in link': { path: () => `${person}/links`, secret: /hca_link_\w{38}/, listedOn: () => person },
}

describe.each(Object.entries(CREATIONS))('the secret of %s', (_, { path, form, secret, listedOn }) => {
  it('is shown once, on a page that is not cached', async () => {
    const { open, submit } = await browse(site)
    const created = await submit(path(), form)
    expect([created.status, created.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
    expect(created.words).toContain('You will not be able to see it again')
    const [shown] = secret.exec(created.text)!
    const list = await open(listedOn())
    expect([list.status, list.text.includes(shown)]).toEqual([200, false])
  })
})

describe('a form that is submitted again', () => {
  const idIn = ({ text }: { text: string }) => /name="id" value="([^"]+)"/.exec(text)![1]!

  it('creates no second key', async () => {
    const own = await makeSite()
    const { open, submit } = await browse(own)
    const form = { name: 'CMS', access: 'full', id: idIn(await open('/keys/new')) }
    expect((await submit('/keys', form)).status).toBe(201)
    const again = await submit('/keys', form)
    expect([again.status, again.words]).toEqual([
      400,
      expect.stringContaining('This key has been created already'),
    ])
    const { items } = await own.manage('GET', '/keys')
    expect(items.filter(({ name }) => name === 'CMS')).toHaveLength(1)
  })

  it('creates no second token', async () => {
    const { open, submit } = await browse(site)
    const form = { id: idIn(await open(person)) }
    expect((await submit(`${person}/tokens`, form)).status).toBe(201)
    const again = await submit(`${person}/tokens`, form)
    expect([again.status, unsigned(again.location)]).toEqual([303, `${person}?done=created`])
    expect(again.words).toContain('was already created')
  })
})
