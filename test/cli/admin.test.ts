import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { admin, adminJson, folderOf } from './support/admin.ts'
import {
  type Answer,
  type Asked,
  refusal,
  startManageServer,
  storingScript,
  TOKEN,
} from './support/manage-server.ts'

const SITE = {
  id: 's1',
  name: 'N',
  domain: 'n.example',
  plan: 'free',
  defaultLanguage: 'en',
  dailyQuota: null,
  trainingOptIn: false,
}
/**
 * Runs a command against a server with one answer.
 * @returns the request that the server got
 */
async function once(answer: Answer, ...args: string[]) {
  await using server = await startManageServer(() => answer)
  const run = await adminJson(server.url, ...args)
  const { method, path, body, token } = server.asked.at(-1) ?? ({} as Asked)
  return { ...run, asked: { method, path, body }, token }
}

describe('every command', () => {
  const commands = [
    ...['create', 'update', 'rebuild', 'list'].map((verb) => ['site', verb]),
    ...['create', 'list', 'revoke'].map((verb) => ['key', verb]),
    ...['put', 'publish', 'unpublish', 'ready', 'delete'].map((verb) => ['post', verb]),
    ...['preview-link', 'preview-links', 'revoke-link'].map((verb) => ['post', verb]),
    ...['schedule', 'unschedule', 'request-changes', 'resolve-changes'].map((verb) => ['post', verb]),
    ...['put', 'publish', 'unpublish', 'delete'].map((verb) => ['guide', verb]),
    ['training', 'add'],
    ...['publish', 'show', 'renew', 'stop'].map((verb) => ['sitemap', verb]),
    ...['set', 'add', 'change', 'list', 'show', 'rotate', 'remove'].map((verb) => ['webhook', verb]),
    ['event', 'list'],
    ['event', 'resend'],
    ['delivery', 'list'],
    ['delivery', 'show'],
    ['import', 'markdown'],
    ...[
      'add',
      'list',
      'update',
      'remove',
      'made',
      'token',
      'revoke',
      'self',
      'link',
      'revoke-link',
      'sessions',
    ].map((verb) => ['operator', verb]),
  ]

  it.each(commands)('%s %s has --help and takes --json', async (noun, verb) => {
    const { code, stdout } = await admin([noun ?? '', verb ?? '', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: admin ${noun} ${verb}`)
    expect(stdout).toContain('--json')
  })

  it.each([
    [['site', 'list', '--nope'], "unknown option '--nope'"],
    [['site', 'nope'], "unknown command 'nope'"],
    [['nope'], "unknown command 'nope'"],
    [['key', 'list'], "missing required argument 'site'"],
    [['key', 'list', 's1', 'more'], 'too many arguments'],
    [['site', 'create', '--name', 'N'], "required option '--domain <domain>' not specified"],
    [['site', 'update', 's1', '--daily-quota', '1.5'], 'Must be a whole number'],
    [['site', 'update', 's1', '--daily-quota', 'x'], 'Must be a whole number'],
    [['site', 'update', 's1', '--plan', 'gold'], 'Allowed choices are free, starter, growth, scale'],
    [
      ['key', 'create', 's1', '--name', 'x', '--access', 'all'],
      'Allowed choices are full, published, sitemap',
    ],
    [['import', 'markdown', 's1', '.', '--status', 'ready'], 'Allowed choices are draft, published'],
  ])('reports a usage error in one line: %j', async (args, error) => {
    const { code, stdout, stderr } = await admin([...args, '--json'])
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).error).toContain(error)
    expect(stderr).not.toBe('')
    expect((await admin(args)).stdout).toBe('')
  })
})

describe('sweep', () => {
  it.each([0, null])('shows what each job did, and fails if one of them failed (%s)', async (pruned) => {
    const swept = { storeStaleVersions: 3, pruneEvents: pruned }
    const { code, json, asked } = await once({ status: 200, body: swept }, 'sweep')
    expect(asked).toEqual({ method: 'POST', path: '/sweep', body: undefined })
    expect({ code, json }).toEqual({ code: pruned === null ? 1 : 0, json: swept })
    await using server = await startManageServer(() => ({ status: 200, body: swept }))
    const { stdout } = await admin(['--url', server.url, '--token', TOKEN, 'sweep'])
    expect(stdout).toBe(`storeStaleVersions  3\npruneEvents         ${pruned ?? '-'}\n`)
  })
})

describe('a noun alone', () => {
  it('shows its verbs, and fails', async () => {
    const { code, stdout, stderr } = await admin(['--json', 'post'])
    expect({ code, json: JSON.parse(stdout) }).toEqual({ code: 1, json: { error: 'a command is missing' } })
    expect(stderr).toContain('Usage: admin post')
  })
})

describe('the connection', () => {
  it('comes from service.json', async () => {
    await using server = await startManageServer(() => ({ status: 200, body: { items: [SITE], next: null } }))
    const service = { manageUrl: `${server.url}/manage/v1`, operatorToken: TOKEN }
    await using folder = await folderOf({ 'service.json': JSON.stringify(service) })
    const { code, stdout } = await admin(['site', 'list', '--json'], folder.path)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ items: [{ siteId: 's1', ...SITE }] })
    expect(server.asked[0]).toMatchObject({ path: '/sites?limit=100', token: `Bearer ${TOKEN}` })
  })

  it('can be given before the noun or after the verb', async () => {
    await using server = await startManageServer(() => ({ status: 200, body: { items: [], next: null } }))
    const flags = ['--url', `${server.url}/manage/v1/`, '--token', TOKEN]
    expect((await admin([...flags, 'site', 'list'])).stdout).toBe('No sites yet\n')
    expect((await admin(['site', 'list', ...flags])).stdout).toBe('No sites yet\n')
  })

  it.each([
    [
      [],
      'No /nonexistent/service.json here: start the service with `npm start`, or set HCA_URL and HCA_TOKEN',
    ],
    [
      ['--url', 'http://127.0.0.1:1'],
      '--url needs --token or HCA_TOKEN: the token of one service is never sent to another',
    ],
    [['--url', 'ftp://a', '--token', 't'], '"ftp://a" is not an http or https URL'],
  ])('that cannot be made is reported in one line: %j', async (flags, error) => {
    const { code, stdout, stderr } = await admin(['site', 'list', ...flags])
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `${error}\n` })
  })

  it('is configured by flags, else by HCA_URL and HCA_TOKEN, else by service.json', async () => {
    await using server = await startManageServer(() => ({ status: 200, body: { items: [], next: null } }))
    await using local = await startManageServer(() => ({ status: 200, body: { items: [], next: null } }))
    const service = { manageUrl: `${local.url}/manage/v1`, operatorToken: 'local' }
    await using folder = await folderOf({ 'service.json': JSON.stringify(service) })
    const list = (flags: string[], environment: Record<string, string>) =>
      admin(['site', 'list', ...flags], folder.path, environment)
    const remote = { HCA_URL: server.url, HCA_TOKEN: 'remote' }
    await list([], remote)
    await list(['--token', 'flag'], remote)
    await list(['--url', `${server.url}/manage/v1`], remote)
    await list(['--url', server.url], { HCA_TOKEN: 'remote' })
    await list(['--url', local.url, '--token', 'flag'], remote)
    await list([], { HCA_TOKEN: 'remote' })
    const tokens = (asked: { token: string | undefined }[]) => asked.map(({ token }) => token?.slice(7))
    expect(tokens(server.asked)).toEqual(['remote', 'flag', 'remote', 'remote'])
    expect(tokens(local.asked)).toEqual(['flag', 'local'])
  })

  it('never sends a token to a service that it does not belong to', async () => {
    await using server = await startManageServer(() => ({ status: 200, body: { items: [], next: null } }))
    const service = { manageUrl: 'http://127.0.0.1:1', operatorToken: 'local' }
    await using folder = await folderOf({ 'service.json': JSON.stringify(service) })
    const bare = await admin(['site', 'list'], folder.path, { HCA_URL: server.url })
    expect(bare.stderr).toBe('HCA_URL needs HCA_TOKEN: the token of one service is never sent to another\n')
    const elsewhere = { HCA_URL: 'https://other.example', HCA_TOKEN: 'remote' }
    const { stderr } = await admin(['site', 'list', '--url', server.url], folder.path, elsewhere)
    expect(stderr).toContain('--url needs --token')
    expect(server.asked).toEqual([])
  })

  it('from the environment is what --help recommends', async () => {
    const { stdout } = await admin(['site', 'list', '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /\$HCA_URL.*HCA_TOKEN is safer, since process lists show flags/,
    )
  })

  it('that is refused is reported in one line', async () => {
    const server = await startManageServer(() => ({ status: 200 }))
    await server.close()
    const { stderr } = await admin(['site', 'list', '--url', server.url, '--token', 't'])
    expect(stderr).toBe(`Nothing listens at ${server.url}/manage/v1: is the service running?\n`)
  })

  it("shows the API's errors as they are", async () => {
    const { code, json, stderr } = await once(
      { status: 404, body: { error: 'Site not found' } },
      'key',
      'list',
      's1',
    )
    expect({ code, json, stderr }).toEqual({
      code: 1,
      json: { error: 'Site not found' },
      stderr: 'Site not found\n',
    })
  })

  it("says when the answer is not the API's", async () => {
    await using server = await startManageServer(() => ({ status: 502 }))
    const { json } = await adminJson(server.url, 'site', 'list')
    expect(json.error).toMatch(/answered 502 without the API's JSON$/)
  })
})

describe('site', () => {
  it('update with nothing to change is refused', async () => {
    const { json } = await once({ status: 200, body: SITE }, 'site', 'update', 's1')
    expect(json.error).toBe('Nothing to change: give at least one flag')
  })

  it.each([
    ['by its request', { status: 204 }],
    ['by the queue', { status: 404, body: { error: 'Site not found' } }],
  ])('delete waits until the site is deleted, %s', async (_, last) => {
    const answers: Answer[] = [{ status: 202, body: { state: 'deleting' } }, last]
    await using server = await startManageServer(() => answers.shift()!)
    const { code, json } = await adminJson(server.url, 'site', 'delete', 's1', '--confirm', 'N')
    expect([code, json]).toEqual([0, { deleted: 's1' }])
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(2).fill('DELETE /sites/s1?confirm=N'),
    )
  })

  it('delete of an unknown site fails', async () => {
    const answer = { status: 404, body: { error: 'Site not found' } }
    const { code, json } = await once(answer, 'site', 'delete', 's1', '--confirm', 'N')
    expect([code, json]).toMatchObject([1, { error: 'Site not found' }])
  })

  it('rebuild continues until no post has an old URL', async () => {
    const parts = [
      { rebuilt: 500, outdated: 700 },
      { rebuilt: 500, outdated: 200 },
      { rebuilt: 200, outdated: 0 },
    ]
    await using server = await startManageServer(() => ({ status: 200, body: parts.shift() }))
    const { code, json } = await adminJson(server.url, 'site', 'rebuild', 's1')
    expect([code, json]).toEqual([0, { rebuilt: 1_200 }])
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(3).fill('POST /sites/s1/schema-bundles/rebuilds'),
    )
  })

  it.each([
    [0, 'No post has an old URL\n'],
    [1, 'Rebuilt 1 post\n'],
    [2, 'Rebuilt 2 posts\n'],
  ])('rebuild reports that it rebuilt %i', async (rebuilt, words) => {
    await using server = await startManageServer(() => ({ status: 200, body: { rebuilt, outdated: 0 } }))
    const { stdout } = await admin(['--url', server.url, '--token', TOKEN, 'site', 'rebuild', 's1'])
    expect(stdout).toBe(words)
  })

  it('rebuild fails when the service fails, and can be run again', async () => {
    const answers = [
      { status: 200, body: { rebuilt: 500, outdated: 1 } },
      { status: 500, body: { error: 'Internal error' } },
    ]
    await using server = await startManageServer(() => answers.shift()!)
    const { code, json } = await adminJson(server.url, 'site', 'rebuild', 's1')
    expect([code, json]).toMatchObject([1, { error: 'Internal error' }])
  })
})

const TOKEN_OF_ADA = {
  id: 't1',
  lastFour: 'abcd',
  createdAt: 'now',
  lastUsedAt: null,
  expiresAt: '2999-01-01T00:00:00.000Z',
  revokedAt: null,
}
const LINK_OF_ADA = { ...TOKEN_OF_ADA, id: 'l1', usedAt: null, sentTo: null }
const ADA = {
  id: 'o1',
  name: 'Ada',
  role: 'editor',
  createdAt: 'now',
  sites: null,
  tokens: [TOKEN_OF_ADA],
  links: [LINK_OF_ADA],
}

describe('operator', () => {
  const ask = async (...args: string[]) => {
    await using server = await startManageServer(({ method, path }) => {
      if (path.includes('/sessions'))
        return { status: 200, body: method === 'GET' ? { items: [], next: null } : { ended: 2 } }
      if (method === 'DELETE') return { status: 204 }
      if (path.endsWith('/sign-in-links'))
        return { status: 201, body: { ...LINK_OF_ADA, url: 'https://c.example/l' } }
      if (method === 'GET' && path === '/operators')
        return { status: 200, body: { items: [ADA], next: null } }
      if (path.endsWith('/tokens')) return { status: 201, body: { ...TOKEN_OF_ADA, token: 'hca_operator_x' } }
      if (path.endsWith('/revocation')) return { status: 200, body: TOKEN_OF_ADA }
      return { status: 201, body: ADA }
    })
    const run = await adminJson(server.url, 'operator', ...args)
    return { ...run, asked: server.asked.map(({ method, path, body }) => [method, path, body]) }
  }

  it('add creates an operator and a token, which is shown', async () => {
    const { json, asked } = await ask('add', 'Ada', '--role', 'editor')
    expect(json).toMatchObject({ name: 'Ada', tokens: [{ token: 'hca_operator_x' }] })
    expect(asked).toEqual([
      ['POST', '/operators', { name: 'Ada', role: 'editor' }],
      ['POST', '/operators/o1/tokens', {}],
    ])
  })

  it('add --without-token creates none', async () => {
    expect((await ask('add', 'Ada', '--role', 'editor', '--without-token')).asked).toHaveLength(1)
  })

  it('finds an operator by name, whatever its case, or by id', async () => {
    for (const named of ['ada', 'o1']) {
      const { asked } = await ask('update', named, '--role', 'admin')
      expect(asked.at(-1)).toEqual(['PATCH', '/operators/o1', { role: 'admin' }])
      expect((await ask('remove', named)).asked.at(-1)).toEqual(['DELETE', '/operators/o1', undefined])
    }
    expect((await ask('remove', 'Eve')).json.error).toBe('No operator is named "Eve"')
  })

  it('is removed with a choice about the drafts that they scheduled', async () => {
    expect((await ask('remove', 'Ada', '--schedules', 'keep')).asked.at(-1)![1]).toBe(
      '/operators/o1?schedules=keep',
    )
    const changed = await ask('update', 'Ada', '--role', 'viewer', '--schedules', 'cancel')
    expect(changed.asked.at(-1)![1]).toBe('/operators/o1?schedules=cancel')
  })

  it('gets access to some sites, or to all again', async () => {
    const { asked } = await ask('add', 'Ada', '--role', 'editor', '--sites', 's1, s2', '--without-token')
    expect(asked[0]).toEqual(['POST', '/operators', { name: 'Ada', role: 'editor', sites: ['s1', 's2'] }])
    expect((await ask('update', 'Ada', '--sites', 'all')).asked.at(-1)).toEqual([
      'PATCH',
      '/operators/o1',
      { sites: null },
    ])
  })

  it('gets a sign-in link, shown or mailed, which is revoked like a token', async () => {
    const { json, asked } = await ask('add', 'Ada', '--role', 'editor', '--link')
    expect(json).toMatchObject({ url: 'https://c.example/l' })
    expect(asked.at(-1)).toEqual(['POST', '/operators/o1/sign-in-links', {}])
    const mailed = await ask('link', 'Ada', '--mail', 'ada@example.com')
    expect(mailed.asked.at(-1)![2]).toEqual({ email: 'ada@example.com' })
    expect((await ask('revoke-link', 'Ada', 'abcd')).asked.at(-1)![1]).toBe(
      '/operators/o1/sign-in-links/l1/revocation',
    )
  })

  it('has sessions, which can be ended one by one or all at once', async () => {
    expect((await ask('sessions', 'Ada')).json).toEqual({ items: [] })
    expect((await ask('sessions', 'Ada', '--end', 'x1')).asked.at(-1)!.slice(0, 2)).toEqual([
      'DELETE',
      '/operators/o1/sessions/x1',
    ])
    expect((await ask('sessions', 'Ada', '--end-all')).json).toEqual({ ended: 2 })
  })

  it('revoke takes the last four characters of a token, or its id', async () => {
    for (const token of ['abcd', 't1']) {
      const { asked } = await ask('revoke', 'Ada', token)
      expect(asked.at(-1)).toEqual(['PUT', '/operators/o1/tokens/t1/revocation', undefined])
    }
    expect((await ask('revoke', 'Ada', 'zzzz')).json.error).toBe('Ada has no token zzzz')
  })
})

describe('post', () => {
  const PATH = '/sites/s1/posts/a'
  const publishAt = '2027-01-02T08:00:00.000Z'

  it('publish --at schedules a draft, and publish without it publishes at once', async () => {
    const schedule = { status: 200, body: { slug: 'a', id: 'p1', publishAt, scheduledBy: 'ada' } }
    const at = '2027-01-02T09:00:00+01:00'
    expect((await once(schedule, 'post', 'publish', 's1', 'a', '--at', at)).asked).toEqual({
      method: 'PUT',
      path: `${PATH}/publication-schedule`,
      body: { publishAt: at },
    })
    const published = { status: 200, body: { slug: 'a', publishedAt: 'now', cancelledSchedule: publishAt } }
    await using server = await startManageServer(() => published)
    const { stdout } = await admin(['post', 'publish', 's1', 'a', '--url', server.url, '--token', TOKEN])
    expect(stdout).toBe(`Published a (published at now)\nCancelled its schedule for ${publishAt}\n`)
    expect(server.asked[0]).toMatchObject({ method: 'PUT', path: `${PATH}/publication` })
  })

  it('request-changes sends the note, and requires one', async () => {
    const review = { status: 200, body: { slug: 'a', changeRequest: { note: 'Why?' } } }
    expect((await once(review, 'post', 'request-changes', 's1', 'a', '--note', 'Why?')).asked).toEqual({
      method: 'PUT',
      path: `${PATH}/change-request`,
      body: { note: 'Why?' },
    })
    const { json } = await once(review, 'post', 'request-changes', 's1', 'a')
    expect(json.error).toContain("required option '--note <text>' not specified")
  })
})

describe('audit-log', () => {
  const ENTRY = {
    id: 1,
    at: 'now',
    siteName: 'Blog',
    action: 'post.published',
    subject: 'a-post',
    before: { status: 'draft' },
    after: { status: 'published' },
    actor: null,
    channel: 'database',
    address: null,
    changeset: { id: 'changeset-1', entries: 1, actions: { 'post.published': 1 } },
  }
  const answer = { status: 200, body: { items: [ENTRY], next: null } }

  it('lists the entries of the workspace or of a site, by actor, action and time', async () => {
    const { json, asked } = await once(answer, 'audit-log', '--limit', '7')
    expect(json).toEqual({ items: [ENTRY] })
    expect(asked.path).toBe('/audit-log?per=changeset&limit=7')
    const flags = ['--actor', 'ada', '--action', 'key', '--since', '2026-11-23T00:00:00Z']
    const ofSite = await once(answer, 'audit-log', 's1', ...flags)
    expect(ofSite.asked.path).toBe(
      '/sites/s1/audit-log?actor=ada&action=key&since=2026-11-23T00%3A00%3A00Z&per=changeset&limit=100',
    )
    const ofChangeset = await once(
      answer,
      'audit-log',
      's1',
      '--subject',
      'a-post',
      '--changeset-id',
      'changeset-1',
    )
    expect(ofChangeset.asked.path).toBe(
      '/sites/s1/audit-log?subject=a-post&changesetId=changeset-1&per=entry&limit=100',
    )
  })

  it('shows a group of entries in one line, and how to open it', async () => {
    const changeset = {
      id: 'changeset-1',
      entries: 1_057,
      actions: { 'post.rebuilt': 1_054, 'post.updated': 3 },
    }
    const many = { status: 200, body: { items: [{ ...ENTRY, changeset }], next: null } }
    await using server = await startManageServer(() => many)
    const { stdout } = await admin(['audit-log', '--url', server.url, '--token', TOKEN])
    expect(stdout).toMatch(/post\.rebuilt 1054, post\.updated 3 +--changeset-id changeset-1/)
  })

  it('shows what changed', async () => {
    await using server = await startManageServer(() => answer)
    const { stdout } = await admin(['audit-log', '--url', server.url, '--token', TOKEN])
    expect(stdout).toContain('status=draft→published')
    expect(stdout).toMatch(/now +database +post\.published +a-post/)
  })
})

describe('post and guide', () => {
  const article = (slug: string) => ({ slug, title: slug, contentHtml: '<p>x</p>' })

  it.each(['post', 'guide'])('%s put accepts one object or an array', async (noun) => {
    const { script } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf({
      'one.json': JSON.stringify(article('a')),
      'many.json': JSON.stringify(['a', 'b'].map(article)),
    })
    const one = await adminJson(server.url, noun, 'put', 's1', join(folder.path, 'one.json'))
    expect(one.json).toMatchObject({
      created: 1,
      updated: 0,
      unchanged: 0,
      items: [{ slug: 'a', outcome: 'created' }],
    })
    const many = await adminJson(server.url, noun, 'put', 's1', join(folder.path, 'many.json'))
    expect(many.json).toMatchObject({ created: 1, updated: 0, unchanged: 1 })
    expect(server.asked[0]?.path).toBe(`/sites/s1/${noun}s`)
  })

  it('put splits input that is too large for one request', async () => {
    const { script } = storingScript()
    await using server = await startManageServer(script)
    const large = Array.from({ length: 30 }, (_, i) => ({
      ...article(`p${i}`),
      contentHtml: 'x'.repeat(500_000),
    }))
    await using folder = await folderOf({ 'large.json': JSON.stringify(large) })
    const { json } = await adminJson(server.url, 'post', 'put', 's1', join(folder.path, 'large.json'))
    expect(json.created).toBe(30)
    expect(server.asked.length).toBeGreaterThan(1)
    expect(Math.max(...server.asked.map(({ bytes }) => bytes))).toBeLessThan(8 * 1024 * 1024)
  })

  it('put names the invalid item of the file', async () => {
    const { script } = storingScript(({ slug }) =>
      slug === 'p105' ? { path: 'posts[5].title', message: 'must not be "posts[4]"' } : undefined,
    )
    await using server = await startManageServer(script)
    const articles = Array.from({ length: 120 }, (_, i) => article(`p${i}`))
    await using folder = await folderOf({ 'many.json': JSON.stringify(articles) })
    const { code, json } = await adminJson(server.url, 'post', 'put', 's1', join(folder.path, 'many.json'))
    expect(code).toBe(1)
    expect(json.error).toBe(
      'Invalid body: posts[105].title must not be "posts[4]" (100 of 120 were saved before)',
    )
  })

  it.each([
    ['{\n  "slug": "a",\n  "title": nope\n}', /is not JSON: .*line 3, column 13$/],
    ['{ "slug": "a"', /is not JSON: .*line 1, column 14$/],
    ['', /is not JSON: .*line 1, column 1$/],
    ['[1]', /must hold an object or an array of objects: item 0 is not an object$/],
    ['"text"', /must hold an object or an array of objects$/],
    ['null', /must hold an object or an array of objects$/],
  ])('put of a bad file reports one line: %j', async (content, error) => {
    await using folder = await folderOf({ 'bad.json': content })
    const { code, json, stderr } = await adminJson(
      'http://127.0.0.1:1',
      'post',
      'put',
      's1',
      join(folder.path, 'bad.json'),
    )
    expect(json.error).toMatch(error)
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('put of a missing file reports one line', async () => {
    const { json } = await adminJson('http://127.0.0.1:1', 'post', 'put', 's1', 'nowhere.json')
    expect(json).toEqual({ error: 'Cannot read nowhere.json: the file does not exist' })
  })

  it('never requests a path that a slug of dots changes', async () => {
    const { json, asked } = await once({ status: 204 }, 'post', 'delete', 's1', '..')
    expect(json).toEqual({ error: '".." is not an id or slug' })
    expect(asked.method).toBeUndefined()
  })
})

describe('training add', () => {
  it('sends one row per line, and skips blank lines', async () => {
    await using folder = await folderOf({
      'rows.ndjson': '{"prompt":"a","completion":"b"}\n\n  \r\n{"prompt":"c","completion":"d"}\r\n',
    })
    const { json, asked } = await once(
      { status: 201, body: { added: 2 } },
      'training',
      'add',
      's1',
      join(folder.path, 'rows.ndjson'),
    )
    expect(json).toEqual({ added: 2 })
    expect(asked).toMatchObject({
      method: 'POST',
      path: '/sites/s1/training-rows',
      body: { rows: [{ prompt: 'a' }, { prompt: 'c' }] },
    })
  })

  it.each([
    ['{"prompt":"a"}\n\n{oops}', /rows\.ndjson is not JSON: .* at line 3, column 2$/],
    ['\n[1]', /line 2, must hold one object/],
  ])('names the invalid line, and adds nothing: %j', async (content, error) => {
    await using folder = await folderOf({ 'rows.ndjson': content })
    const { code, json, asked } = await once(
      { status: 201 },
      'training',
      'add',
      's1',
      join(folder.path, 'rows.ndjson'),
    )
    expect(json.error).toMatch(error)
    expect(code).toBe(1)
    expect(asked.method).toBeUndefined()
  })

  it('names the line that the API refuses', async () => {
    await using folder = await folderOf({ 'rows.ndjson': '{"prompt":"a"}\n\n{"prompt":1}' })
    const refused = refusal({ path: 'rows[1].prompt', message: 'must be a text' })
    const { json } = await once(refused, 'training', 'add', 's1', join(folder.path, 'rows.ndjson'))
    expect(json.error).toBe('Invalid body: line 3.prompt must be a text')
  })
})

describe('event and delivery', () => {
  const pages = ({ path }: Asked): Answer => {
    const query = new URLSearchParams(path.split('?')[1])
    const from = Number(query.get('cursor') ?? 0)
    const to = Math.min(from + Number(query.get('limit')), 250)
    const items = Array.from({ length: to - from }, (_, i) => ({ id: from + i, event: 'article.ready' }))
    return { status: 200, body: { items, next: to < 250 ? String(to) : null } }
  }

  it.each(['event', 'delivery'])('%s list follows all pages', async (noun) => {
    await using server = await startManageServer(pages)
    const { json } = await adminJson(server.url, noun, 'list', 's1')
    expect(json.items.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 250 }, (_, i) => i))
  })

  it('list stops at --limit', async () => {
    await using server = await startManageServer(pages)
    expect((await adminJson(server.url, 'delivery', 'list', 's1', '--limit', '120')).json.items).toHaveLength(
      120,
    )
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/sites/s1/deliveries?limit=100',
      '/sites/s1/deliveries?limit=20&cursor=100',
    ])
  })

  const delivery = {
    id: 'd1',
    eventId: 'e1',
    event: 'article.ready',
    slug: 'a',
    url: 'https://hooks.acme.dev/',
    status: 503,
    error: 'http_status',
    durationMs: 12,
    manual: true,
    attemptedAt: 'now',
    request: { headers: { 'webhook-id': 'e1' }, body: '{"event":"article.ready"}' },
    answerExcerpt: 'said no',
  }

  it('resend shows the outcome, and exits with 1 unless it was delivered', async () => {
    const failed = await once({ status: 201, body: delivery }, 'event', 'resend', 's1', 'e1')
    expect(failed.asked).toMatchObject({ method: 'POST', path: '/sites/s1/events/e1/resends' })
    expect(failed.json).toEqual(delivery)
    expect(failed.code).toBe(1)
    const arrived = { ...delivery, status: 200, error: null }
    expect((await once({ status: 201, body: arrived }, 'event', 'resend', 's1', 'e1')).code).toBe(0)
  })

  it('names the flag that the API refuses', async () => {
    const refused = refusal(
      { path: 'failedSince', message: 'must be a time' },
      { path: 'slug', message: 'x' },
    )
    const { code, json } = await once(refused, 'event', 'resend', 's1', '--failed-since', 'yesterday')
    expect([code, json.error]).toEqual([1, '--failed-since must be a time; slug x'])
  })

  const resend = {
    id: 'r1',
    failedUntil: 'then',
    total: 3,
    arrived: 0,
    failed: 0,
    notSent: 3,
    interrupted: 0,
    ending: null,
  }

  it('resend --failed starts a resend, watches it to its end, and reports the outcome', async () => {
    const answers = [
      { status: 201, body: resend },
      { status: 200, body: { ...resend, arrived: 1, notSent: 2 } },
      { status: 200, body: { ...resend, arrived: 2, failed: 1, notSent: 0, ending: 'done' } },
    ]
    await using server = await startManageServer(() => answers.shift()!)
    const flags = [
      '--failed-since',
      '2026-11-23T00:00:00Z',
      '--limit-per-second',
      '50',
      '--include-interrupted',
    ]
    const { code, json } = await adminJson(server.url, 'event', 'resend', 's1', ...flags)
    expect(code).toBe(1)
    expect(json).toMatchObject({ total: 3, arrived: 2, failed: 1, notSent: 0, ending: 'done' })
    const body = { failedSince: '2026-11-23T00:00:00Z', includeInterrupted: true, perSecond: 50 }
    expect(server.asked.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/sites/s1/resends', body],
      ['GET', '/sites/s1/resends/r1', undefined],
      ['GET', '/sites/s1/resends/r1', undefined],
    ])
  })

  it('resend --stop stops it, and says how to continue and what may have arrived', async () => {
    const stopped = { ...resend, arrived: 1, notSent: 2, interrupted: 2, ending: 'stopped' }
    const answers = [
      { status: 200, body: { items: [resend], next: null } },
      { status: 200, body: stopped },
      { status: 200, body: { items: [stopped], next: null } },
    ]
    await using server = await startManageServer(() => answers.shift()!)
    const environment = { HCA_URL: server.url, HCA_TOKEN: TOKEN }
    const { stdout } = await admin(['event', 'resend', 's1', '--stop'], undefined, environment)
    expect(stdout).toContain('3 resent: 1 arrived, 0 failed again, 2 not sent; 2 more may have arrived')
    expect(stdout).toContain('Stopped: --failed-until then sends the rest')
    expect(server.asked[1]).toMatchObject({ method: 'PUT', path: '/sites/s1/resends/r1/stop' })
    const { json } = await adminJson(server.url, 'event', 'resend', 's1', '--stop')
    expect(json.error).toBe('No resend is running')
  })

  it.each([
    ['no', 'Internal error. Nothing was saved'],
    ['yes', 'Internal error. It was saved nevertheless, at least in part'],
    [
      'unknown',
      'Internal error. The database did not answer, so it may have been saved: check before you send it again',
    ],
  ])('a write that fails with X-Committed: %s reports whether it was saved', async (committed, message) => {
    const headers = { 'X-Committed': committed }
    await using server = await startManageServer(() => ({
      status: 500,
      body: { error: 'Internal error' },
      headers,
    }))
    const { code, json } = await adminJson(server.url, 'post', 'publish', 's1', 'a')
    expect([code, json.error]).toEqual([1, message])
  })

  it('a write that is retried after a broken connection says that the first one may have been saved', async () => {
    let isFirst = true
    await using server = await startManageServer(() => {
      if (!isFirst) return { status: 404, body: { error: 'Not found' } }
      isFirst = false
      return 'break'
    })
    const { json, code } = await adminJson(server.url, 'post', 'delete', 's1', 'a')
    expect(server.asked).toHaveLength(2)
    const message =
      'Not found. The connection broke and this is the response to a retry: the first attempt may have succeeded'
    expect([code, json.error]).toEqual([1, message])
  })

  it('resend --dry-run only counts, and requires an event or --failed', async () => {
    await using server = await startManageServer(() => ({
      status: 200,
      body: { failedUntil: 'then', total: 3, interrupted: 0 },
    }))
    const since = ['--failed-since', '2026-11-23T00:00:00Z']
    const { json, code } = await adminJson(server.url, 'event', 'resend', 's1', ...since, '--dry-run')
    expect([code, json]).toEqual([0, { failedUntil: 'then', total: 3, interrupted: 0, dryRun: true }])
    expect(server.asked[0]).toMatchObject({
      method: 'GET',
      path: '/sites/s1/events/failed?failedSince=2026-11-23T00%3A00%3A00Z',
    })
    const errorOf = async (...flags: string[]) =>
      (await adminJson(server.url, 'event', 'resend', 's1', ...flags)).json.error
    expect(await errorOf('e1', ...since)).toBe('Give either an event or --failed with its flags')
    expect(await errorOf('e1', '--dry-run')).toBe('Give either an event or --failed with its flags')
    expect(await errorOf('--stop', '--failed')).toBe('--stop takes no other flags')
    expect(await errorOf('--webhook', 'w1')).toBe('Give an event, --failed or --failed-since')
    expect(server.asked).toHaveLength(1)
  })

  it('show prints headers, body and response', async () => {
    await using server = await startManageServer(() => ({ status: 200, body: delivery }))
    const { stdout } = await admin(['--url', server.url, '--token', TOKEN, 'delivery', 'show', 's1', 'd1'])
    expect(server.asked[0]).toMatchObject({ method: 'GET', path: '/sites/s1/deliveries/d1' })
    for (const part of ['webhook-id  e1', '{"event":"article.ready"}', 'said no', 'http_status']) {
      expect(stdout).toContain(part)
    }
  })

  it.each([
    [false, 'answered'],
    [true, 'answered (truncated)'],
  ])(
    'show prints the headers of the response, and says if it is incomplete (%s)',
    async (answerTruncated, title) => {
      const answerHeaders = { location: '/hook/', 'retry-after': '120' }
      const body = { ...delivery, answerTruncated, answerHeaders }
      await using server = await startManageServer(() => ({ status: 200, body }))
      const show = ['delivery', 'show', 's1', 'd1']
      const { stdout } = await admin(['--url', server.url, '--token', TOKEN, ...show])
      expect(stdout).toContain(`\n\n${title}\nlocation     /hook/\nretry-after  120\n\nsaid no`)
      expect((await adminJson(server.url, ...show)).json).toEqual(body)
    },
  )

  it('escapes terminal control sequences', async () => {
    await using server = await startManageServer(() => ({
      status: 200,
      body: { items: [{ ...delivery, error: '\u001b[2Jgone' }], next: null },
    }))
    const { stdout } = await admin(['--url', server.url, '--token', TOKEN, 'delivery', 'list', 's1'])
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('article.ready  a')
  })
})
