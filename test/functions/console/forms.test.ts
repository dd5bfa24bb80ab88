/** Each form of the console with input that its verb refuses. The edit form and the list filters have tests of their own. */
import { beforeAll, describe, expect, it } from 'vitest'
import { browse, errorBeside, filledIn, PUBLISHING_FORM, SETTINGS_FORM } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { setWebhook } from '../../support/webhook.ts'

type Form = Record<string, string>
type Refusals = { form: Form; refused: [field: string, value: string, error: string | RegExp][] }

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** By path: a valid form, and a refused value or two for each field. The rules themselves are tested with the management API. */
const FORMS: Record<string, Refusals> = {
  '/console/sites': {
    form: { name: 'A', domain: 'a.example.com' },
    refused: [
      ['name', '', 'Name is required.'],
      ['name', 'A\0', 'Name must not contain NUL.'],
    ],
  },
  '/console/people': {
    form: { name: `ada-${crypto.randomUUID()}`, role: 'viewer' },
    refused: [
      ['name', 'Operator_Token', /must not be OPERATOR_TOKEN/],
      ['name', 'Erased Person', /must not be the name of erased people/],
      ['role', 'owner', 'Role must be viewer, editor or admin.'],
    ],
  },
  '/settings': {
    form: { ...SETTINGS_FORM, name: 'Changed' },
    refused: [
      ['domain', 'localhost', 'Domain must look like example.com.'],
      ['defaultLanguage', '', 'Default language must be a language code such as en or pt-BR.'],
      ['plan', 'gold', 'Plan must be free, starter, growth or scale.'],
      ['dailyQuota', 'many', 'Custom daily quota must be a number.'],
      ['dailyQuota', '-5', 'Custom daily quota must be at least 1.'],
    ],
  },
  '/settings/publishing': {
    form: PUBLISHING_FORM,
    refused: [
      [
        'postPath',
        '/blog',
        /^Post path must be a path that begins with one “\/” and has {slug} in it once\.$/,
      ],
      ['guidePath', 'x{slug}', /^Guide path must be a path that begins with one “\/”/],
      ['previewUrl', 'http://a.example.com/', /^Preview URL must /],
    ],
  },
  '/settings/deletion': {
    form: {},
    refused: ['test', ''].map((name) => ['name', name, "This is not the site's name."]),
  },
  '/keys': {
    form: { name: 'A', access: 'full' },
    refused: [
      ['name', '', 'Name is required.'],
      ['access', 'all', 'Access must be full, published or sitemap.'],
      ['expiresAt', day(-366), 'Expires must be today or later.'],
      ['expiresAt', 'soon', 'Expires must be a date such as 2027-01-31.'],
    ],
  },
  '/content/redirects/new': {
    form: { from: '/a', to: '/b' },
    refused: [
      ['from', '', 'From is required.'],
      ['to', ' ', 'To is required.'],
      ['to', 'old', 'To must be a path that begins with one “/”, or an http or https URL.'],
      ['from', '/?p=1', 'From must have neither a query nor a fragment.'],
      ['to', '/a/', 'To must not lead back to the address itself.'],
    ],
  },
  '/integrations/webhook': {
    form: {},
    refused: [['url', 'https://10.0.0.1/', 'URL must not be an IP address.']],
  },
  '/integrations/webhooks': {
    form: { new: '1' },
    refused: [['url', 'http://10.0.0.1/', 'URL must use https.']],
  },
  '/integrations/signature-check': {
    form: { timestamp: '1', body: '{}', signature: 'x', id: '' },
    refused: [
      ['timestamp', '', 'Timestamp is required.'],
      ['body', 'a\0b', 'Body must not contain NUL.'],
      ['signature', '', 'Signature is required.'],
    ],
  },
}

let site: TestSite
beforeAll(async () => {
  site = await makeSite()
  await setWebhook(site, 'ok')
  for (const slug of ['one', 'taken']) {
    await site.put(slug)
    await putGuide(site, slug)
  }
})

/** A radio button has no mark of its own, since the error is of its group. */
const focusOn = (field: string) =>
  new RegExp(`(?: id="${field}"[^>]* aria-invalid="true"| name="${field}" value="[^"]*") autofocus`)

describe.each(Object.keys(FORMS))('the form %s', (path) => {
  it('shows an error at the refused field, which has the focus, keeps the typed texts, and changes nothing', async () => {
    const { submit } = await browse(site)
    const writes = () => runSql('select id from audit_log where site_id = $1', [site.id])
    const before = await writes()
    const { form, refused } = FORMS[path]!
    for (const [field, value, error] of refused) {
      const typed: Form = { ...form, [field]: value }
      const answer = await submit(path, typed)
      expect([value, answer.status]).toEqual([value, 400])
      expect(errorBeside(field, answer)).toEqual(
        typeof error === 'string' ? error : expect.stringMatching(error),
      )
      expect(answer.text).toMatch(focusOn(field))
      const fields = Object.keys(typed).filter((name) => filledIn(name, answer) !== undefined)
      expect(fields).not.toEqual([])
      for (const name of fields) expect([name, filledIn(name, answer)]).toEqual([name, typed[name]])
    }
    expect(await writes()).toEqual(before)
  })
})

it('a form for a key without an access makes none', async () => {
  const { submit } = await browse(site)
  const answer = await submit('/keys', { name: 'CMS' })
  expect([answer.status, errorBeside('access', answer)]).toEqual([
    400,
    'Access must be full, published or sitemap.',
  ])
})
