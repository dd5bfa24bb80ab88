/** Audit log entries as sentences: what people read, without a database. */
import { describe, expect, it } from 'vitest'
import { changesetOf, foldChangesets, foldOf } from '../../../functions/console/audit-log/changesets.ts'
import { describeAction, type Part, sentenceOf } from '../../../functions/console/audit-log/sentence.ts'
import { NOUNS, SENTENCES, SPECIFIC } from '../../../functions/console/audit-log/words.ts'
import { auditActions } from '../../../src/people/audit-actions.ts'

const SITES = { g: crypto.randomUUID(), k: crypto.randomUUID(), hidden: crypto.randomUUID() }
const NAMES = { [SITES.g]: 'Garden', [SITES.k]: 'Kitchen' }
const ANNA = crypto.randomUUID()

type Entry = Parameters<typeof changesetOf>[0]
type Given = Partial<Omit<Entry, 'names'>> & { action: string; names?: Partial<Entry['names']> }

const entryOf = ({ names, ...entry }: Given): Entry => ({
  subject: null,
  title: null,
  before: null,
  after: null,
  actor: 'Anna',
  actorId: ANNA,
  channel: 'console',
  resourceId: null,
  changeset: { id: crypto.randomUUID(), entries: 1, actions: {} },
  ...entry,
  names: {
    noun: entry.action.split('.')[0]!,
    target: null,
    actorTarget: null,
    key: null,
    article: null,
    person: null,
    site: null,
    url: null,
    subjects: {},
    sites: NAMES,
    ...names,
  },
})
const textOf = (parts: Part[]) => parts.map(({ text }) => text).join('')

const POST = { subject: 'prune-roses', names: { article: 'How to prune roses' } }
const BEN = { names: { person: 'Ben' } }

it.each<[string, Omit<Given, 'action'>, string]>([
  ['post.published', POST, 'Anna published “How to prune roses”'],
  ['post.deleted', { title: 'Gone', subject: 'gone' }, 'Anna deleted the post “Gone”'],
  // Its site is deleted, and only the slug is left.
  ['post.published', { subject: 'gone' }, 'Anna published “gone”'],
  [
    'post.updated',
    { ...POST, after: { fields: 'title, contentHtml, seo' } },
    'Anna edited the title and content of “How to prune roses”',
  ],
  [
    'post.updated',
    { ...POST, after: { fields: 'excerpt, seo' } },
    'Anna edited the excerpt of “How to prune roses”',
  ],
  [
    'post.renamed',
    { ...POST, before: { slug: 'a', language: 'de' }, after: { slug: 'b', language: 'en' } },
    'Anna changed the slug of “How to prune roses” from a to b',
  ],
  ['token.created', BEN, 'Anna gave Ben a token'],
  ['token.created', { resourceId: ANNA, names: { person: 'Anna' } }, 'Anna gave themselves a token'],
  ['token.revoked', { ...BEN, subject: '…ab12', after: { revokedAt: 'x' } }, 'Anna revoked Ben’s token'],
  ['token.revoked', { resourceId: ANNA }, 'Anna revoked their own token'],
  // A reader who may not know them.
  ['token.created', {}, 'Anna gave a person a token'],
  [
    'link.created',
    { ...BEN, after: { sentTo: 'b@example.com', lastFour: 'x' } },
    'Anna emailed Ben a sign-in link',
  ],
  ['link.used', { actor: 'Ben' }, 'Ben signed in with a link'],
  [
    'operator.created',
    { subject: 'Ben', after: { name: 'Ben', role: 'admin' } },
    'Anna added Ben as an admin',
  ],
  [
    'operator.updated',
    { subject: 'Ben', after: { sites: [SITES.g, SITES.k] } },
    'Anna limited Ben to 2 sites: Garden, Kitchen',
  ],
  [
    'operator.updated',
    { subject: 'Ben', after: { sites: [SITES.hidden, SITES.k] } },
    'Anna limited Ben to 2 sites: Kitchen, 1 more',
  ],
  ['operator.updated', { subject: 'Ben', after: { sites: [SITES.hidden] } }, 'Anna limited Ben to 1 site'],
  ['operator.updated', { subject: 'Ben', before: { sites: [SITES.k] } }, 'Anna gave Ben access to all sites'],
  [
    'operator.updated',
    { subject: 'Ben', before: { role: 'admin' }, after: { role: 'viewer' } },
    'Anna made Ben a viewer',
  ],
  [
    'operator.updated',
    { subject: 'Ben', before: { role: 'editor', sites: [SITES.k] }, after: { role: 'admin' } },
    'Anna changed the role and sites of Ben',
  ],
  [
    'operator.updated',
    { subject: 'B', before: { name: 'Ben' }, after: { name: 'B' } },
    'Anna renamed Ben to B',
  ],
  [
    'site.updated',
    { subject: 'Garden', before: { domain: 'a.example' }, after: { domain: 'b.example' } },
    'Anna changed the domain of Garden from a.example to b.example',
  ],
  [
    'site.updated',
    { subject: 'Garden', after: { dailyQuota: 5000 } },
    'Anna set the daily quota of Garden to 5,000',
  ],
  [
    'site.updated',
    { subject: 'Garden', before: { previewUrl: 'https://x.example' } },
    'Anna removed the preview URL of Garden',
  ],
  [
    'site.updated',
    { subject: 'Garden', before: { trainingOptIn: false }, after: { trainingOptIn: true } },
    'Anna turned on the training export of Garden',
  ],
  [
    'site.updated',
    { subject: 'Garden', before: { plan: 'free', domain: 'a' }, after: { plan: 'scale', domain: 'b' } },
    'Anna changed the plan and domain of Garden',
  ],
  ['site.deleted', { subject: 'Garden', before: { name: 'Garden' } }, 'Anna deleted the site Garden'],
  [
    'key.updated',
    { subject: 'Web', before: { keyHash: 'not shown' }, after: { keyHash: 'not shown' } },
    'Anna changed the secret of the key “Web”',
  ],
  [
    'preview_link.revoked',
    { ...POST, subject: '…ab12' },
    'Anna revoked a preview link to “How to prune roses”',
  ],
  ['preview_link.revoked', { subject: '…ab12' }, 'Anna revoked a preview link to a post'],
  ['redirect.created', { subject: '/a', after: { target: '/b' } }, 'Anna redirected /a to /b'],
  [
    'redirect.created',
    { subject: '/a', after: { resourceId: SITES.g, targetResource: 'post' }, names: POST.names },
    'Anna redirected /a to “How to prune roses”',
  ],
  ['training.added', { after: { rows: 12 } }, 'Anna added 12 training rows'],
  ['event.resent', POST, 'Anna resent an event of “How to prune roses”'],
  ['event.resent', { names: { url: 'CMS' } }, 'Anna resent a test event to “CMS”'],
  ['event.resend_started', { after: { events: 20 } }, 'Anna started resending 20 failed events'],
  [
    'event.resend_started',
    { after: { events: 20 }, names: { url: 'CMS' } },
    'Anna started resending 20 failed events to “CMS”',
  ],
  [
    'event.resend_finished',
    { after: { arrived: 18, failed: 2, notSent: 0 } },
    'Anna finished resending failed events: 18 delivered, 2 failed',
  ],
  ['webhook.tested', { names: { url: 'https://a.example/...' } }, 'Anna sent a test event to “a.example”'],
  ['webhook.tested', {}, 'Anna sent a test event to a webhook'],
  [
    'webhook.updated',
    { subject: 'https://a.example', before: { events: ['post.deleted'] }, after: { events: [] } },
    'Anna changed the events of the webhook “a.example”',
  ],
  [
    'operator.refused',
    { subject: `GET /console/sites/${SITES.g}/settings` },
    'Anna was not allowed to open Garden › settings',
  ],
  [
    'operator.refused',
    { subject: `POST /console/sites/${SITES.g}/keys/${SITES.k}/revocation` },
    'Anna was not allowed to change Garden › keys › revocation',
  ],
  [
    'operator.refused',
    { subject: `PATCH /manage/v1/sites/${SITES.hidden}` },
    'Anna was not allowed to change a site',
  ],
  ['operator.refused', { subject: 'POST /manage/v1/operators' }, 'Anna was not allowed to change people'],
  ['operator.sign_in_failed', { actor: null }, 'Somebody failed to sign in'],
  [
    'site.updated',
    { subject: 'Garden', actor: null, channel: 'database', after: { plan: 'free' } },
    'SQL or the service itself set the plan of Garden to free',
  ],
  [
    'post.created',
    { ...POST, actor: null, channel: 'api', names: { ...POST.names, key: 'Writer' } },
    'The key “Writer” created “How to prune roses”',
  ],
  ['site.exploded', {}, 'Anna wrote “site exploded”'],
])('%s %o reads “%s”', (action, entry, sentence) => {
  expect(textOf(sentenceOf(entryOf({ action, ...entry })))).toBe(sentence)
})

describe('every action', () => {
  it.each(auditActions)('%s has a sentence without ids, placeholders and field names', (action) => {
    const id = crypto.randomUUID()
    const fields = { lastFour: 'ab12', publishAt: '2026-12-01T10:00:00.000Z', rows: 1, events: 1, id }
    const entry = {
      action,
      subject: 'Subject',
      resourceId: id,
      before: { slug: 'a' },
      after: { ...fields, slug: 'b' },
      names: BEN.names,
    }
    const sentence = textOf(sentenceOf(entryOf(entry)))
    expect(sentence).toMatch(/^Anna [a-z]/)
    expect(sentence).not.toMatch(/[{}_]|undefined|null|lastFour|ab12/)
    expect(sentence).not.toContain(id)
    expect(describeAction(action)).toMatch(/^[A-Z][a-z' -]+$/i)
    expect(Object.keys(NOUNS)).toContain(action.split('.')[0])
  })

  it('with a sentence for one of its fields exists', () => {
    const actions = Object.keys(SPECIFIC).map((key) => key.split(' ')[0]!)
    expect(actions.filter((action) => !Object.hasOwn(SENTENCES, action))).toEqual([])
  })
})

it.each<[Record<string, number>, Record<string, string>, string]>([
  [{ 'post.created': 1054 }, {}, 'Anna created 1,054 posts'],
  [
    { 'operator.deleted': 1, 'token.deleted': 1 },
    { 'operator.deleted': 'Ben' },
    'Anna removed Ben, deleted 1 token',
  ],
  [{ 'operator.created': 2 }, {}, 'Anna added 2 people'],
  [
    { 'operator.created': 1, 'link.created': 1 },
    { 'operator.created': 'Ben', 'link.created': '…ab12' },
    'Anna added Ben, created 1 sign-in link',
  ],
  [
    { 'site.deletion_started': 1, 'site.deleted': 1, 'preview_link.created': 1 },
    { 'site.deletion_started': 'Garden', 'site.deleted': 'Garden', 'preview_link.created': '…ab12' },
    'Anna deleted the site Garden, created 1 preview link',
  ],
  [{ 'operator.signed_in': 1, 'link.used': 1 }, {}, 'Anna signed in with a link'],
  [
    { 'post.updated': 3, 'post.created': 12, 'key.created': 1, 'site.updated': 1 },
    {},
    'Anna created 12 posts, edited 3 posts, changed 1 site, and more',
  ],
])('a changeset of %o reads as its actions', (actions, subjects, sentence) => {
  const changeset = { id: SITES.g, entries: 2, actions }
  expect(textOf(changesetOf(entryOf({ action: 'post.created', changeset, names: { subjects } })))).toBe(
    sentence,
  )
})

describe('changesets that follow each other', () => {
  const at = '2026-11-21T10:00:59.000Z'
  const made = (given: Partial<Entry & { at: string; siteId: string | null }> = {}) => ({
    ...entryOf({ action: 'guide.created', resourceId: crypto.randomUUID() }),
    changeset: { id: crypto.randomUUID(), entries: 1, actions: { 'guide.created': 1 } },
    siteId: SITES.g as string | null,
    at,
    ...given,
  })
  const lengths = (...entries: ReturnType<typeof made>[]) =>
    foldChangesets(entries).map(({ length }) => length)

  it('read as one if they say the same', () => {
    const many = { id: SITES.g, entries: 34, actions: { 'guide.created': 34 } }
    const [fold, ...others] = foldChangesets([
      made({ at: '2026-11-21T10:00:00.000Z' }),
      made(),
      made({ changeset: many }),
    ])
    expect([others, textOf(foldOf(fold!))]).toEqual([[], 'Anna created 36 guides'])
  })

  it('stay apart with another person, action, site, minute or program, and with other words about the same thing', () => {
    const [one, published] = [made(), { id: SITES.g, entries: 1, actions: { 'guide.published': 1 } }]
    for (const other of [
      made({ actor: 'Ben' }),
      made({ changeset: published }),
      made({ siteId: SITES.k! }),
      made({ at: '2026-11-21T10:01:00.000Z' }),
      made({ channel: 'cli' }),
      made({ resourceId: one.resourceId, names: { ...one.names, article: 'Another title' } }),
    ])
      expect(lengths(one, other)).toEqual([1, 1])
    expect(lengths(one, made({ actor: 'Ben' }), made())).toEqual([1, 1, 1])
  })

  it('read as one with a number if they repeat the same sentence, and count a thing once', () => {
    const roses = made()
    const one = { ...roses, names: { ...roses.names, article: 'Roses' } }
    const [fold] = foldChangesets([one, one, one])
    expect(textOf(foldOf(fold!))).toBe('Anna created the guide “Roses” 3 times')
    expect(textOf(foldOf([one, made(), one]))).toBe('Anna created 2 guides')
  })

  it('count the things of a batch that begins with one that was also changed alone', () => {
    const [one, other] = [made(), made()]
    const batch = { ...one, changeset: { id: SITES.g, entries: 20, actions: { 'guide.created': 20 } } }
    expect(textOf(foldOf([other, batch, one, other]))).toBe('Anna created 22 guides')
  })

  it('stay apart if one of the two has other entries of other things, in both orders', () => {
    const one = made()
    const several = { ...one, changeset: { id: SITES.g, entries: 3, actions: { 'guide.created': 3 } } }
    expect([lengths(one, several), lengths(several, one)]).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  it('without a resource read as a number of times', () => {
    const added = { ...entryOf({ action: 'training.added', after: { rows: 2 } }), at, siteId: SITES.g }
    const one = { ...added, changeset: { id: SITES.g, entries: 1, actions: { 'training.added': 1 } } }
    expect(textOf(foldOf([one, { ...one }]))).toBe('Anna added training rows 2 times')
  })

  it('of several actions read as all of them', () => {
    const both = { id: SITES.g, entries: 2, actions: { 'guide.created': 1, 'guide.published': 1 } }
    expect(lengths(made({ changeset: both }), made())).toEqual([1, 1])
    const fold = [made({ changeset: both }), made({ changeset: both })]
    expect(lengths(...fold)).toEqual([2])
    expect(textOf(foldOf(fold))).toBe('Anna published 2 guides, created 2 guides')
  })
})

it('a changeset reads with the names of its first entry', () => {
  const given = { before: null, after: { events: 20 }, names: { url: 'CMS' } }
  const actions = { 'event.resend_started': 1, 'event.resend_finished': 1 }
  const changeset = { id: SITES.g, entries: 2, actions }
  expect(textOf(changesetOf(entryOf({ action: 'event.resend_started', ...given, changeset })))).toBe(
    'Anna finished resending failed events to “CMS”',
  )
  const both = { id: SITES.g, entries: 2, actions: { 'link.created': 1, 'operator.created': 1 } }
  const names = { person: 'Ben', subjects: { 'operator.created': 'Ben' } }
  expect(textOf(changesetOf(entryOf({ action: 'link.created', names, changeset: both })))).toBe(
    'Anna added Ben, gave Ben a sign-in link',
  )
})
