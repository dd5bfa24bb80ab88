/** The webhook endpoint of the plugin for WordPress, and the warnings on its page. WordPress itself is a stub. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { signed } from '../support/forged-events.ts'

const PLUGIN = 'docs/receivers/wordpress/headless-content'
const SCRIPT = join(import.meta.dirname, 'wordpress-plugin/webhook-route.php')
const missing = spawnSync('php', ['--version']).error ? ' (skipped: php is not installed)' : ''
const SITE = '00000000-0000-4000-8000-000000000001'
const secret = generateSecret()
const NOT_GENUINE = { status: 401, body: '{"code":"headless_content_not_genuine"}' }

type Outcome = {
  statuses: number[]
  log: [what: string, why: string, slug: string][]
  wakes: number
  warnings: string[]
}

function run(
  events: object[],
  { reach = NOT_GENUINE as unknown, permalinks = '/%postname%/' } = {},
): Outcome {
  const now = String(Math.floor(Date.now() / 1_000))
  const input = JSON.stringify({
    settings: { site_id: SITE, webhook_secret: secret },
    ...{ reach, permalinks },
    events: events.map((event) => {
      const body = JSON.stringify(event)
      return { body, headers: signed(secret, 'an-id', now, body) }
    }),
  })
  return JSON.parse(execFileSync('php', [SCRIPT, PLUGIN], { input, encoding: 'utf8' })) as Outcome
}

describe.skipIf(missing)(`the webhook endpoint of the plugin for WordPress${missing}`, () => {
  it.each([
    'article.ready',
    'post.published',
    'post.updated',
    'post.unpublished',
    'post.deleted',
    'post.of-a-later-version',
  ])('starts the sync for %s', (event) => {
    const { statuses, log, wakes } = run([{ event, siteId: SITE, slug: 'a', previousSlug: null }])
    expect({ statuses, log, wakes }).toEqual({
      ...{ statuses: [204], wakes: 1 },
      log: [['event received', event, 'a']],
    })
  })

  it('does not start the sync for a test, another site or another kind of event', () => {
    const events = [
      { event: 'webhook.test' },
      { event: 'post.updated', siteId: SITE.replace('1', '2'), slug: 'a' },
      { event: 'post.updated', slug: 'b' },
      { event: 'poster.updated', siteId: SITE, slug: 'c' },
      { event: ['post.updated'], siteId: SITE, slug: 'd' },
    ]
    expect(run(events)).toMatchObject({
      statuses: events.map(() => 204),
      wakes: 0,
      log: [
        ['webhook tested', '', ''],
        ['event ignored', 'it is of another site', 'a'],
        ['event ignored', 'it is of another site', 'b'],
        ['event ignored', 'its kind is not known', 'c'],
        ['event ignored', 'its kind is not known', 'd'],
      ],
    })
  })

  it('shows no warning where events arrive', () => {
    expect(run([]).warnings).toEqual([])
    expect(
      run([], { reach: { status: 500, body: '{"code":"headless_content_not_set_up"}' } }).warnings,
    ).toEqual([])
  })

  it.each([
    [
      'a REST API that is closed to guests',
      { status: 401, body: '{"code":"rest_not_logged_in"}' },
      '401 rest_not_logged_in',
    ],
    ['a disabled REST API', { status: 404, body: '{"code":"rest_no_route"}' }, '404 rest_no_route'],
    ['a firewall in front of WordPress', { status: 403, body: '<h1>Forbidden</h1>' }, '403'],
    ['a redirect', { status: 301, body: '' }, '301'],
    ['a site that cannot reach itself', 'cURL error 28', 'cURL error 28'],
  ])('warns about %s', (_, reach, said) => {
    const { warnings } = run([], { reach })
    expect(warnings).toEqual([expect.stringContaining(said)])
    expect(warnings[0]).toContain('posts come by cron, every five minutes')
  })

  it('warns about plain permalinks, with the URL that works', () => {
    const { warnings } = run([], { permalinks: '' })
    expect(warnings).toEqual([
      expect.stringContaining('https://quay.example/index.php?rest_route=/headless-content/v1/events'),
    ])
  })
})
