/** Verbs that call one operation, each with its flags: the request, and the output with --json and without. */
import { expect, it } from 'vitest'
import { adminWith } from './support/admin.ts'

const SITE = {
  ...{ id: 's1', name: 'N', domain: 'n.example', plan: 'free', defaultLanguage: 'en', dailyQuota: null },
}
const SITE_TEXT =
  'id               s1\nname             N\ndomain           n.example\nplan             free\ndefaultLanguage  en\ndailyQuota       -'
const KEY = {
  ...{ id: 'k1', name: 'cms', access: 'full', prefix: 'hca_live_', lastFour: 'abcd' },
  ...{ lastUsedAt: null, expiresAt: null, revokedAt: null },
}
const NEW_KEY = { ...KEY, key: 'hca_live_secret' }
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
const NEW_LINK = { ...LINK, url: 'https://a.example/drafts/x' }
const HOOK = { url: 'https://a.example/', createdAt: 'now' }
const HOOK_TEXT = 'url        https://a.example/\ncreatedAt  now'
const UNCHANGED_HOOK_TEXT = `${HOOK_TEXT}\nThe secret is unchanged.`
const SELF = { id: null, name: 'root', role: 'admin' }
const STATE = { slug: 'hé?', status: 'draft', publishedAt: null }
const SCHEDULE = { slug: 'a', publishAt: '2027-01-02T08:00:00.000Z' }
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

const call = (asks: string, answer: object | null, text: Row['text'], more: Partial<Row> = {}): Row => ({
  ...{ asks, answer, text, ...more },
})
const empty = (asks: string, text: string) =>
  call(asks, { items: [], next: null }, text, { json: { items: [] } })
const site = (asks: string, body?: object) =>
  call(asks, SITE, SITE_TEXT, { json: { siteId: 's1', ...SITE }, ...(body && { body }) })
const update = (body: object) => site('PATCH /sites/s1', body)
const ready = (eventId: string | null, text: string, alreadyReady = false) =>
  call('PUT /sites/s1/posts/a/readiness', { slug: 'a', alreadyReady, eventId }, text)
const addRedirect = (target: object, outcome: string, text: string) =>
  call('PUT /sites/s1/redirects', { created: 0, updated: 0, unchanged: 0, [outcome]: 1 }, text, {
    body: { redirects: [{ from: '/old', ...target }] },
  })
const setHook = (more: object, secret: string | null, text: string) =>
  call('PUT /sites/s1/webhook', { ...HOOK, secret }, text, { body: { url: HOOK.url, ...more } })

const ARTICLES = (['post', 'guide'] as const).map((noun): Record<string, Row> => {
  const place = `/sites/s1/${noun}s/h%C3%A9%3F`
  const article = { title: 'T', seo: { a: 1 }, contentHtml: '<p>x</p>' }
  return {
    [`${noun} list s1 --status draft --search q`]: empty(
      `GET /sites/s1/${noun}s?status=draft&search=q&limit=100`,
      `No such ${noun}s`,
    ),
    [`${noun} list s1 --limit 7`]: empty(`GET /sites/s1/${noun}s?limit=7`, `No ${noun}s yet`),
    [`${noun} get s1 hé?`]: call(
      `GET ${place}`,
      { id: 'p1', [noun]: article },
      'id     p1\ntitle  T\nseo    {"a":1}\n\n<p>x</p>',
    ),
    [`${noun} publish s1 hé?`]: call(
      `PUT ${place}/publication`,
      { ...STATE, publishedAt: 'now' },
      'Published hé? (published at now)',
    ),
    [`${noun} unpublish s1 hé?`]: call(`DELETE ${place}/publication`, STATE, 'Unpublished hé?'),
    [`${noun} rename s1 old hé?`]: call(`PUT /sites/s1/${noun}s/old/slug`, STATE, 'Renamed old to hé?', {
      body: { slug: 'hé?' },
    }),
    [`${noun} delete s1 hé?`]: call(`DELETE ${place}`, null, 'Deleted hé?', { json: { deleted: 'hé?' } }),
  }
})

const CALLS: Record<string, Row> = {
  'site create --name N --domain n.example': site('POST /sites', { name: 'N', domain: 'n.example' }),
  'site create --name N --domain n.example --plan growth --language fr --daily-quota 5 --training-opt-in --post-path /b/{slug} --guide-path /g/{slug}':
    site('POST /sites', {
      ...{ name: 'N', domain: 'n.example', plan: 'growth', defaultLanguage: 'fr', dailyQuota: 5 },
      ...{ trainingOptIn: true, postPath: '/b/{slug}', guidePath: '/g/{slug}' },
    }),
  'site update s1 --no-training-opt-in': update({ trainingOptIn: false }),
  'site update s1 --daily-quota none': update({ dailyQuota: null }),
  'site update s1 --daily-quota 0 --name M': update({ dailyQuota: 0, name: 'M' }),
  'site update s1 --feed-content full --preview-url https://n.example/draft': update({
    ...{ feedContent: 'full', previewUrl: 'https://n.example/draft' },
  }),
  'site update s1 --preview-url none': update({ previewUrl: null }),
  'site get s1': site('GET /sites/s1'),
  'key create s1 --name cms --access sitemap --expires-at 2030-01-01T00:00:00Z': call(
    'POST /sites/s1/keys',
    NEW_KEY,
    /^id +k1\n[\s\S]*key +hca_live_secret\nSave the key: it is not shown again\.$/,
    {
      body: { name: 'cms', access: 'sitemap', expiresAt: '2030-01-01T00:00:00Z' },
      json: { keyId: 'k1', ...NEW_KEY },
    },
  ),
  'key list s1': call(
    'GET /sites/s1/keys',
    { items: [KEY], next: null },
    /^KEY +NAME +ACCESS +BEGINS +LAST USED +EXPIRES +REVOKED\nk1 +cms +full +hca_live_…abcd +- +- +-$/,
    { json: { items: [{ keyId: 'k1', ...KEY }] } },
  ),
  'key revoke s1 k1': call('PUT /sites/s1/keys/k1/revocation', KEY, 'Revoked cms (k1)', {
    json: { keyId: 'k1', ...KEY },
  }),
  ...ARTICLES[0],
  ...ARTICLES[1],
  'post list s1 --language en': empty('GET /sites/s1/posts?language=en&limit=100', 'No such posts'),
  'post publish s1 a': call(
    'PUT /sites/s1/posts/a/publication',
    { slug: 'a', publishedAt: 'now', cancelledSchedule: 'then' },
    'Published a (published at now)\nCancelled its schedule for then',
  ),
  'post publish s1 a --at 2027-01-02T09:00:00+01:00': call(
    'PUT /sites/s1/posts/a/publication-schedule',
    SCHEDULE,
    `a is scheduled for ${SCHEDULE.publishAt}`,
    { body: { publishAt: '2027-01-02T09:00:00+01:00' } },
  ),
  'post schedule s1 a': call(
    'GET /sites/s1/posts/a/publication-schedule',
    SCHEDULE,
    `a is scheduled for ${SCHEDULE.publishAt}`,
  ),
  'post unschedule s1 a': call(
    'DELETE /sites/s1/posts/a/publication-schedule',
    { slug: 'a', publishAt: null },
    'a is not scheduled',
  ),
  'post request-changes s1 a --note Why?': call(
    'PUT /sites/s1/posts/a/change-request',
    { slug: 'a' },
    'Requested changes to a',
    { body: { note: 'Why?' } },
  ),
  'post resolve-changes s1 a': call(
    'DELETE /sites/s1/posts/a/change-request',
    { slug: 'a' },
    'Removed the change request for a',
  ),
  'post ready s1 a': ready('e1', 'a is ready: event e1 is being sent'),
  'post  ready s1 a': ready(null, 'a is ready: no event was sent, since no webhook is set'),
  'post   ready s1 a': ready(
    null,
    'a is already marked as ready: nothing changed, and no event was sent',
    true,
  ),
  'post preview-link s1 hé? --expires-at 2030-01-01T00:00:00Z': call(
    'POST /sites/s1/posts/h%C3%A9%3F/preview-links',
    NEW_LINK,
    /^id +l1\n[\s\S]*url +https:\/\/a\.example\/drafts\/x\nSave the link: it is not shown again\.$/,
    { body: { expiresAt: '2030-01-01T00:00:00Z' }, json: { linkId: 'l1', ...NEW_LINK } },
  ),
  'post preview-links s1 a': call(
    'GET /sites/s1/posts/a/preview-links',
    { items: [LINK], next: null },
    /^LINK +ENDS WITH +CREATED +EXPIRES +REVOKED\nl1 +abcd +now +then +-$/,
    { json: { items: [{ linkId: 'l1', ...LINK }] } },
  ),
  'post revoke-link s1 a l1': call(
    'PUT /sites/s1/posts/a/preview-links/l1/revocation',
    LINK,
    'Revoked …abcd (l1)',
    { json: { linkId: 'l1', ...LINK } },
  ),
  'sitemap publish s1': call('PUT /sites/s1/sitemap', URLS, URLS_TEXT),
  'sitemap show s1': call('GET /sites/s1/sitemap', URLS, URLS_TEXT),
  'sitemap renew s1': call('POST /sites/s1/sitemap/renewals', URLS, URLS_TEXT),
  'sitemap stop s1': call('DELETE /sites/s1/sitemap', null, 'The sitemap is no longer published.', {
    json: { published: false },
  }),
  'redirect list s1 --limit 7': empty('GET /sites/s1/redirects?limit=7', 'No redirects yet'),
  'redirect add s1 /old /new': addRedirect({ to: '/new' }, 'created', '/old redirects to /new'),
  'redirect add s1 /old --post hé': addRedirect(
    { resource: 'post', slug: 'hé' },
    'updated',
    '/old now redirects to hé',
  ),
  'redirect add s1 /old --guide a': addRedirect(
    { resource: 'guide', slug: 'a' },
    'unchanged',
    '/old already redirects to a',
  ),
  'redirect remove s1 /old/a?': call(
    'DELETE /sites/s1/redirects?from=%2Fold%2Fa%3F',
    null,
    'Removed /old/a?',
    { json: { removed: '/old/a?' } },
  ),
  'training list s1 --limit 7': empty('GET /sites/s1/training-rows?limit=7', 'No training rows yet'),
  'training opt-in s1 r1': call(
    'PUT /sites/s1/training-rows/r1/opt-in',
    { id: 'r1' },
    'r1 is included in exports',
  ),
  'training opt-out s1 r1': call(
    'DELETE /sites/s1/training-rows/r1/opt-in',
    { id: 'r1' },
    'r1 is excluded from exports',
  ),
  'training remove s1 r1': call('DELETE /sites/s1/training-rows/r1', null, 'Removed r1', {
    json: { removed: 'r1' },
  }),
  'webhook set s1 --url https://a.example/': setHook(
    {},
    'whsec_x',
    `${HOOK_TEXT}\nsecret  whsec_x\n${KEEP_SECRET}`,
  ),
  'webhook set s1 --url https://a.example/ --events post.updated,post.deleted': setHook(
    { events: ['post.updated', 'post.deleted'] },
    null,
    UNCHANGED_HOOK_TEXT,
  ),
  'webhook show s1': call('GET /sites/s1/webhook', HOOK, HOOK_TEXT),
  'webhook rotate s1': call(
    'POST /sites/s1/webhook/secret-rotations',
    { secret: 'whsec_y' },
    `secret  whsec_y\n${KEEP_SECRET}`,
  ),
  'webhook remove s1': call('DELETE /sites/s1/webhook', null, 'Removed', { json: { removed: true } }),
  'webhook add s1 --url https://a.example/ --events post.updated': call(
    'POST /sites/s1/webhooks',
    { id: 'w1', secret: 'whsec_x' },
    `id      w1\nsecret  whsec_x\n${KEEP_SECRET}`,
    { body: { url: 'https://a.example/', events: ['post.updated'] } },
  ),
  'webhook change s1 w1 --events none': call('PATCH /sites/s1/webhooks/w1', { id: 'w1' }, 'id  w1', {
    body: { events: [] },
  }),
  ...Object.fromEntries(
    Object.entries({ CMS: 'CMS', none: null }).map(([typed, name]) => [
      `webhook change s1 w1 --name ${typed}`,
      call('PATCH /sites/s1/webhooks/w1', { id: 'w1' }, 'id  w1', { body: { name } }),
    ]),
  ),
  'webhook list s1': empty('GET /sites/s1/webhooks', 'No webhook is set'),
  'webhook rotate s1 w1': call(
    'POST /sites/s1/webhooks/w1/secret-rotations',
    { secret: 'whsec_y' },
    `secret  whsec_y\n${KEEP_SECRET}`,
  ),
  'webhook remove s1 w1': call('DELETE /sites/s1/webhooks/w1', null, 'Removed', { json: { removed: true } }),
  'event list s1 --limit 7': empty('GET /sites/s1/events?limit=7', 'No events yet'),
  'delivery list s1': empty('GET /sites/s1/deliveries?limit=100', 'No deliveries yet'),
  'delivery list s1 --event article.ready --outcome timeout': empty(
    'GET /sites/s1/deliveries?event=article.ready&outcome=timeout&limit=100',
    'No such deliveries',
  ),
  'operator self': call('GET /operator', SELF, 'id    -\nname  root\nrole  admin'),
}

it.each(Object.entries(CALLS))('%s', async (command, { asks, body, answer, json = answer, text }) => {
  const args = command.split(/ +/)
  const response = answer === null ? { status: 204 } : { status: 200, body: answer }
  const asJson = await adminWith(response, ...args, '--json')
  expect({ code: asJson.code, stderr: asJson.stderr, json: asJson.json }).toEqual({
    code: 0,
    stderr: '',
    json,
  })
  const asText = await adminWith(response, ...args)
  expect(asText.stdout.replace(/\n$/, '')).toEqual(
    typeof text === 'string' ? text : expect.stringMatching(text),
  )
  expect([...asJson.asked, ...asText.asked]).toEqual(Array(2).fill({ asks, body }))
})
