/** Verbs that call one operation, each with its flags: the request, and the output with --json and without. */
import { expect, it } from 'vitest'
import { admin, adminJson } from './support/admin.ts'
import { startManageServer, TOKEN } from './support/manage-server.ts'

const SITE = {
  id: 's1',
  name: 'N',
  domain: 'n.example',
  plan: 'free',
  defaultLanguage: 'en',
  dailyQuota: null,
}
const SITE_TEXT =
  'id               s1\nname             N\ndomain           n.example\nplan             free\ndefaultLanguage  en\ndailyQuota       -'
const KEY = {
  id: 'k1',
  name: 'cms',
  access: 'full',
  prefix: 'hca_live_',
  lastFour: 'abcd',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
}
const URLS = {
  url: 'https://a.example/x',
  proxiedUrl: 'https://a.example/p',
  rssUrl: 'https://a.example/r',
  jsonFeedUrl: 'https://a.example/j',
  proxiedRssUrl: 'https://a.example/pr',
  proxiedJsonFeedUrl: 'https://a.example/pj',
}
const URLS_TEXT = [...Object.entries(URLS), ['robots.txt', `Sitemap: ${URLS.url}`]]
  .map(([name, url]) => `${name!.padEnd(18)}  ${url}`)
  .join('\n')
const LINK = { id: 'l1', lastFour: 'abcd', createdAt: 'now', expiresAt: 'then', revokedAt: null }
const HOOK = { url: 'https://a.example/', createdAt: 'now' }
const HOOK_TEXT = 'url        https://a.example/\ncreatedAt  now'
const STATE = { slug: 'hé?', status: 'draft', publishedAt: null }
const ROW = { id: 'r1', optIn: true }
const KEEP_SECRET = 'Save the secret: it is not shown again.'

type Row = {
  asks: string
  body?: object
  /** Null for 204. */
  answer: object | null
  /** By default the answer. */
  json?: object
  text: string | RegExp
}

const site = (asks: string, body: object): Row => ({
  asks,
  body,
  answer: SITE,
  json: { siteId: 's1', ...SITE },
  text: SITE_TEXT,
})
const update = (body: object) => site('PATCH /sites/s1', body)
const empty = (asks: string, text: string): Row => ({
  asks,
  answer: { items: [], next: null },
  json: { items: [] },
  text,
})

const ARTICLES = (['post', 'guide'] as const).map((noun): Record<string, Row> => {
  const place = `/sites/s1/${noun}s/h%C3%A9%3F`
  return {
    [`${noun} list s1 --status draft --search q`]: empty(
      `GET /sites/s1/${noun}s?status=draft&search=q&limit=100`,
      `No such ${noun}s`,
    ),
    [`${noun} list s1 --limit 7`]: empty(`GET /sites/s1/${noun}s?limit=7`, `No ${noun}s yet`),
    [`${noun} get s1 hé?`]: {
      asks: `GET ${place}`,
      answer: { id: 'p1', [noun]: { title: 'T', seo: { a: 1 }, contentHtml: '<p>x</p>' } },
      text: 'id     p1\ntitle  T\nseo    {"a":1}\n\n<p>x</p>',
    },
    [`${noun} publish s1 hé?`]: {
      asks: `PUT ${place}/publication`,
      answer: { ...STATE, publishedAt: 'now' },
      text: 'Published hé? (published at now)',
    },
    [`${noun} unpublish s1 hé?`]: {
      asks: `DELETE ${place}/publication`,
      answer: STATE,
      text: 'Unpublished hé?',
    },
    [`${noun} rename s1 old hé?`]: {
      asks: `PUT /sites/s1/${noun}s/old/slug`,
      body: { slug: 'hé?' },
      answer: STATE,
      text: 'Renamed old to hé?',
    },
    [`${noun} delete s1 hé?`]: {
      asks: `DELETE ${place}`,
      answer: null,
      json: { deleted: 'hé?' },
      text: 'Deleted hé?',
    },
  }
})

const ready = (answer: object, text: string): Row => ({
  asks: 'PUT /sites/s1/posts/a/readiness',
  answer,
  text,
})

const CALLS: Record<string, Row> = {
  'site create --name N --domain n.example': site('POST /sites', { name: 'N', domain: 'n.example' }),
  'site create --name N --domain n.example --plan growth --language fr --daily-quota 5 --training-opt-in --post-path /b/{slug} --guide-path /g/{slug}':
    site('POST /sites', {
      name: 'N',
      domain: 'n.example',
      plan: 'growth',
      defaultLanguage: 'fr',
      dailyQuota: 5,
      trainingOptIn: true,
      postPath: '/b/{slug}',
      guidePath: '/g/{slug}',
    }),
  'site update s1 --no-training-opt-in': update({ trainingOptIn: false }),
  'site update s1 --training-opt-in': update({ trainingOptIn: true }),
  'site update s1 --daily-quota none': update({ dailyQuota: null }),
  'site update s1 --feed-content full --preview-url https://n.example/draft': update({
    feedContent: 'full',
    previewUrl: 'https://n.example/draft',
  }),
  'site update s1 --preview-url none': update({ previewUrl: null }),
  'site update s1 --daily-quota 0 --name M': update({ dailyQuota: 0, name: 'M' }),
  'site get s1': { asks: 'GET /sites/s1', answer: SITE, json: { siteId: 's1', ...SITE }, text: SITE_TEXT },
  'key create s1 --name cms --access sitemap --expires-at 2030-01-01T00:00:00Z': {
    asks: 'POST /sites/s1/keys',
    body: { name: 'cms', access: 'sitemap', expiresAt: '2030-01-01T00:00:00Z' },
    answer: { ...KEY, key: 'hca_live_secret' },
    json: { keyId: 'k1', ...KEY, key: 'hca_live_secret' },
    text: /^id +k1\n[\s\S]*key +hca_live_secret\nSave the key: it is not shown again\.$/,
  },
  'key list s1': {
    asks: 'GET /sites/s1/keys',
    answer: { items: [KEY], next: null },
    json: { items: [{ keyId: 'k1', ...KEY }] },
    text: /^KEY +NAME +ACCESS +BEGINS +LAST USED +EXPIRES +REVOKED\nk1 +cms +full +hca_live_…abcd +- +- +-$/,
  },
  'key revoke s1 k1': {
    asks: 'PUT /sites/s1/keys/k1/revocation',
    answer: { ...KEY, revokedAt: 'now' },
    json: { keyId: 'k1', ...KEY, revokedAt: 'now' },
    text: 'Revoked cms (k1)',
  },
  ...ARTICLES[0],
  ...ARTICLES[1],
  'post list s1 --language en': empty('GET /sites/s1/posts?language=en&limit=100', 'No such posts'),
  'post ready s1 a': ready(
    { slug: 'a', alreadyReady: false, eventId: 'e1' },
    'a is ready: event e1 is being sent',
  ),
  'post  ready s1 a': ready(
    { slug: 'a', alreadyReady: false, eventId: null },
    'a is ready: no event was sent, since no webhook is set',
  ),
  'post   ready s1 a': ready(
    { slug: 'a', alreadyReady: true, eventId: null },
    'a is already marked as ready: nothing changed, and no event was sent',
  ),
  'post preview-link s1 hé? --expires-at 2030-01-01T00:00:00Z': {
    asks: 'POST /sites/s1/posts/h%C3%A9%3F/preview-links',
    body: { expiresAt: '2030-01-01T00:00:00Z' },
    answer: { ...LINK, url: 'https://a.example/drafts/x' },
    json: { linkId: 'l1', ...LINK, url: 'https://a.example/drafts/x' },
    text: /^id +l1\n[\s\S]*url +https:\/\/a\.example\/drafts\/x\nSave the link: it is not shown again\.$/,
  },
  'post preview-link s1 a': {
    asks: 'POST /sites/s1/posts/a/preview-links',
    body: {},
    answer: LINK,
    json: { linkId: 'l1', ...LINK },
    text: /^id +l1/,
  },
  'post preview-links s1 a': {
    asks: 'GET /sites/s1/posts/a/preview-links',
    answer: { items: [LINK], next: null },
    json: { items: [{ linkId: 'l1', ...LINK }] },
    text: /^LINK +ENDS WITH +CREATED +EXPIRES +REVOKED\nl1 +abcd +now +then +-$/,
  },
  'post revoke-link s1 a l1': {
    asks: 'PUT /sites/s1/posts/a/preview-links/l1/revocation',
    answer: LINK,
    json: { linkId: 'l1', ...LINK },
    text: 'Revoked …abcd (l1)',
  },
  'sitemap publish s1': { asks: 'PUT /sites/s1/sitemap', answer: URLS, text: URLS_TEXT },
  'sitemap show s1': { asks: 'GET /sites/s1/sitemap', answer: URLS, text: URLS_TEXT },
  'sitemap renew s1': { asks: 'POST /sites/s1/sitemap/renewals', answer: URLS, text: URLS_TEXT },
  'sitemap stop s1': {
    asks: 'DELETE /sites/s1/sitemap',
    answer: null,
    json: { published: false },
    text: 'The sitemap is no longer published.',
  },
  'redirect list s1 --limit 7': empty('GET /sites/s1/redirects?limit=7', 'No redirects yet'),
  'redirect add s1 /old /new': {
    asks: 'PUT /sites/s1/redirects',
    body: { redirects: [{ from: '/old', to: '/new' }] },
    answer: { created: 1, updated: 0, unchanged: 0 },
    text: '/old redirects to /new',
  },
  'redirect add s1 /old --post hé': {
    asks: 'PUT /sites/s1/redirects',
    body: { redirects: [{ from: '/old', resource: 'post', slug: 'hé' }] },
    answer: { created: 0, updated: 1, unchanged: 0 },
    text: '/old now redirects to hé',
  },
  'redirect add s1 /old --guide a': {
    asks: 'PUT /sites/s1/redirects',
    body: { redirects: [{ from: '/old', resource: 'guide', slug: 'a' }] },
    answer: { created: 0, updated: 0, unchanged: 1 },
    text: '/old already redirects to a',
  },
  'redirect remove s1 /old/a?': {
    asks: 'DELETE /sites/s1/redirects?from=%2Fold%2Fa%3F',
    answer: null,
    json: { removed: '/old/a?' },
    text: 'Removed /old/a?',
  },
  'training list s1 --limit 7': empty('GET /sites/s1/training-rows?limit=7', 'No training rows yet'),
  'training opt-in s1 r1': {
    asks: 'PUT /sites/s1/training-rows/r1/opt-in',
    answer: ROW,
    text: 'r1 is included in exports',
  },
  'training opt-out s1 r1': {
    asks: 'DELETE /sites/s1/training-rows/r1/opt-in',
    answer: ROW,
    text: 'r1 is excluded from exports',
  },
  'training remove s1 r1': {
    asks: 'DELETE /sites/s1/training-rows/r1',
    answer: null,
    json: { removed: 'r1' },
    text: 'Removed r1',
  },
  'webhook set s1 --url https://a.example/': {
    asks: 'PUT /sites/s1/webhook',
    body: { url: 'https://a.example/' },
    answer: { ...HOOK, secret: 'whsec_x' },
    text: `${HOOK_TEXT}\nsecret  whsec_x\n${KEEP_SECRET}`,
  },
  'webhook  set s1 --url https://a.example/': {
    asks: 'PUT /sites/s1/webhook',
    body: { url: 'https://a.example/' },
    answer: { ...HOOK, secret: null },
    text: `${HOOK_TEXT}\nThe secret is unchanged.`,
  },
  'webhook show s1': { asks: 'GET /sites/s1/webhook', answer: HOOK, text: HOOK_TEXT },
  'webhook rotate s1': {
    asks: 'POST /sites/s1/webhook/secret-rotations',
    answer: { secret: 'whsec_y' },
    text: `secret  whsec_y\n${KEEP_SECRET}`,
  },
  'webhook remove s1': {
    asks: 'DELETE /sites/s1/webhook',
    answer: null,
    json: { removed: true },
    text: 'Removed',
  },
  'webhook set s1 --url https://a.example/ --events post.updated,post.deleted': {
    asks: 'PUT /sites/s1/webhook',
    body: { url: 'https://a.example/', events: ['post.updated', 'post.deleted'] },
    answer: { ...HOOK, secret: null },
    text: `${HOOK_TEXT}\nThe secret is unchanged.`,
  },
  'webhook add s1 --url https://a.example/ --events post.updated': {
    asks: 'POST /sites/s1/webhooks',
    body: { url: 'https://a.example/', events: ['post.updated'] },
    answer: { id: 'w1', secret: 'whsec_x' },
    text: `id      w1\nsecret  whsec_x\n${KEEP_SECRET}`,
  },
  'webhook change s1 w1 --events none': {
    asks: 'PATCH /sites/s1/webhooks/w1',
    body: { events: [] },
    answer: { id: 'w1' },
    text: 'id  w1',
  },
  'webhook list s1': empty('GET /sites/s1/webhooks', 'No webhook is set'),
  'webhook rotate s1 w1': {
    asks: 'POST /sites/s1/webhooks/w1/secret-rotations',
    answer: { secret: 'whsec_y' },
    text: `secret  whsec_y\n${KEEP_SECRET}`,
  },
  'webhook remove s1 w1': {
    asks: 'DELETE /sites/s1/webhooks/w1',
    answer: null,
    json: { removed: true },
    text: 'Removed',
  },
  'event list s1 --limit 7': empty('GET /sites/s1/events?limit=7', 'No events yet'),
  'delivery list s1': empty('GET /sites/s1/deliveries?limit=100', 'No deliveries yet'),
  'delivery list s1 --event article.ready --outcome timeout': empty(
    'GET /sites/s1/deliveries?event=article.ready&outcome=timeout&limit=100',
    'No such deliveries',
  ),
  'operator self': {
    asks: 'GET /operator',
    answer: { id: null, name: 'root', role: 'admin' },
    text: 'id    -\nname  root\nrole  admin',
  },
}

it.each(Object.entries(CALLS))('%s', async (command, { asks, body, answer, json = answer, text }) => {
  await using server = await startManageServer(() =>
    answer === null ? { status: 204 } : { status: 200, body: answer },
  )
  const args = command.split(/ +/)
  const { code, stderr, json: printed } = await adminJson(server.url, ...args)
  expect({ code, stderr, json: printed }).toEqual({ code: 0, stderr: '', json })
  const { stdout } = await admin(['--url', server.url, '--token', TOKEN, ...args])
  expect(stdout.replace(/\n$/, '')).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
  expect(server.asked.map(({ method, path, body }) => ({ asks: `${method} ${path}`, body }))).toEqual(
    Array(2).fill({ asks, body }),
  )
})
