import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connection } from '../../src/cli/client.ts'
import { admin, adminJson, adminWith, folderOf } from './support/admin.ts'
import {
  type Answer,
  type Asked,
  refusal,
  startManageServer,
  storingScript,
  TOKEN,
} from './support/manage-server.ts'

const ok = (body: unknown): Answer => ({ status: 200, body })
const page = (...items: unknown[]) => ok({ items, next: null })

/** The commands that `--help` lists after these. */
async function commandsIn(...nouns: string[]): Promise<string[][]> {
  const { stdout } = await admin([...nouns, '--help'])
  const [, commands = ''] = stdout.split('\nCommands:\n')
  const names = [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name!)
  return names.filter((name) => name !== 'help').map((name) => [...nouns, name])
}

describe('every command', () => {
  it('has --help and takes --json', async () => {
    const commands: string[][] = []
    for (const noun of await commandsIn()) {
      const verbs = await commandsIn(...noun)
      commands.push(...(verbs.length > 0 ? verbs : [noun]))
    }
    expect(commands).toHaveLength(77)
    for (const command of commands) {
      const { code, stdout } = await admin([...command, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: admin ${command.join(' ')}`)
      expect(stdout).toContain('--json')
    }
  })

  it.each([
    ['site list --nope', "unknown option '--nope'"],
    ['site nope', "unknown command 'nope'"],
    ['nope', "unknown command 'nope'"],
    ['post', 'a command is missing'],
    ['key list', "missing required argument 'site'"],
    ['key list s1 more', 'too many arguments'],
    ['site create --name N', "required option '--domain <domain>' not specified"],
    ['post request-changes s1 a', "required option '--note <text>' not specified"],
    ['site update s1 --daily-quota 1.5', 'Must be a whole number'],
    ['site update s1 --daily-quota x', 'Must be a whole number'],
    ['site update s1 --plan gold', 'Allowed choices are free, starter, growth, scale'],
    ['key create s1 --name x --access all', 'Allowed choices are full, published, sitemap'],
    ['import markdown s1 . --status ready', 'Allowed choices are draft, published'],
  ])('reports a usage error in one line: %s', async (command, error) => {
    const args = command.split(' ')
    const { code, stdout, stderr } = await admin(['--json', ...args])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toContain(error)
    expect(stderr).toContain(error === 'a command is missing' ? 'Usage: admin post' : error)
    expect((await admin(args)).stdout).toBe('')
  })
})

describe('the connection', () => {
  const URL = 'http://a.example/manage/v1'
  const local = { manageUrl: 'http://local.example/manage/v1', operatorToken: 'local' }
  const remote = { HCA_URL: 'http://a.example', HCA_TOKEN: 'remote' }
  const made = async (env: Record<string, string>, flags: { url?: string; token?: string }) => {
    await using folder = await folderOf({ 'service.json': JSON.stringify(local) })
    const io = { env: { LOCAL_DIR: folder.path, ...env }, cwd: '/' } as unknown as Parameters<
      typeof connection
    >[0]
    const { url, token } = await connection(io, flags)
    return `${url} ${token}`
  }

  it.each([
    [{}, {}, `${local.manageUrl} local`],
    [{ HCA_TOKEN: 'remote' }, {}, `${local.manageUrl} local`],
    [remote, {}, `${URL} remote`],
    [remote, { token: 'flag' }, `${URL} flag`],
    [remote, { url: `${URL}/` }, `${URL} remote`],
    [{ HCA_TOKEN: 'remote' }, { url: remote.HCA_URL }, `${URL} remote`],
    [remote, { url: 'http://b.example', token: 'flag' }, 'http://b.example/manage/v1 flag'],
  ])(
    'is configured by flags, else by the environment, else by service.json: %j %j',
    async (env, flags, is) => {
      expect(await made(env, flags)).toBe(is)
    },
  )

  it.each([
    [{}, { url: URL }, '--url needs --token or HCA_TOKEN: the token of one service is never sent to another'],
    [remote, { url: 'http://b.example' }, /^--url needs --token or HCA_TOKEN/],
    [{ HCA_URL: URL }, {}, /^HCA_URL needs HCA_TOKEN: the token of one service is never sent to another/],
    [{}, { url: 'ftp://a', token: 't' }, '"ftp://a" is not an http or https URL'],
    [
      { LOCAL_DIR: '/none' },
      {},
      /^No \/none\/service\.json here: start the service with `npm start`, or set/,
    ],
  ])('is refused before a token goes to another service: %j %j', async (env, flags, error) => {
    await expect(made(env, flags)).rejects.toThrow(error)
  })

  it('can be given before the noun or after the verb, and --help recommends the environment', async () => {
    await using server = await startManageServer(() => page())
    const flags = ['--url', `${server.url}/manage/v1/`, '--token', TOKEN]
    expect((await admin([...flags, 'site', 'list'])).stdout).toBe('No sites yet\n')
    const after = await admin(['site', 'list', ...flags])
    expect(after).toEqual({ code: 0, stdout: 'No sites yet\n', stderr: '' })
    expect(server.asked[0]).toMatchObject({ path: '/sites?limit=100', token: `Bearer ${TOKEN}` })
    const { stdout } = await admin(['site', 'list', '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /\$HCA_URL.*HCA_TOKEN is safer, since process lists show flags/,
    )
  })

  it('that is refused is reported in one line', async () => {
    const server = await startManageServer(() => ok(null))
    await server.close()
    const { stderr } = await admin(['site', 'list', '--url', server.url, '--token', 't'])
    expect(stderr).toBe(`Nothing listens at ${server.url}/manage/v1: is the service running?\n`)
  })

  it.each([
    [{ status: 404, body: { error: 'Site not found' } }, /^Site not found$/],
    [{ status: 502 }, /answered 502 without the API's JSON$/],
  ])("shows the API's errors as they are: %j", async (answer, error) => {
    const { code, json, stderr } = await adminWith(answer, 'key', 'list', 's1', '--json')
    expect(code).toBe(1)
    expect(json.error).toMatch(error)
    expect(stderr).toBe(`${json.error}\n`)
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
    const answer = { status: 500, body: { error: 'Internal error' }, headers }
    const { code, json } = await adminWith(answer, 'post', 'publish', 's1', 'a', '--json')
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

  it('never requests a path that a slug of dots changes', async () => {
    const { json, asked } = await adminWith({ status: 204 }, 'post', 'delete', 's1', '..', '--json')
    expect(json).toEqual({ error: '".." is not an id or slug' })
    expect(asked).toEqual([])
  })
})

describe('sweep', () => {
  it.each([0, null])('shows what each job did, and fails if one of them failed (%s)', async (pruned) => {
    const swept = { storeStaleVersions: 3, pruneEvents: pruned }
    const { code, json, asked } = await adminWith(ok(swept), 'sweep', '--json')
    expect(asked).toEqual([{ asks: 'POST /sweep', body: undefined }])
    expect({ code, json }).toEqual({ code: pruned === null ? 1 : 0, json: swept })
    const { stdout } = await adminWith(ok(swept), 'sweep')
    expect(stdout).toBe(`storeStaleVersions  3\npruneEvents         ${pruned ?? '-'}\n`)
  })
})

describe('site', () => {
  const gone = { status: 404, body: { error: 'Site not found' } }

  it('update with nothing to change is refused', async () => {
    const { json } = await adminWith(ok({}), 'site', 'update', 's1', '--json')
    expect(json.error).toBe('Nothing to change: give at least one flag')
  })

  it.each([
    ['by its request', { status: 204 }],
    ['by the queue', gone],
  ])('delete waits until the site is deleted, %s', async (_, last) => {
    const answers = [{ status: 202, body: { state: 'deleting' } }, last]
    const { code, json, asked } = await adminWith(
      answers,
      ...['site', 'delete', 's1', '--confirm', 'N', '--json'],
    )
    expect([code, json]).toEqual([0, { deleted: 's1' }])
    expect(asked.map(({ asks }) => asks)).toEqual(Array(2).fill('DELETE /sites/s1?confirm=N'))
  })

  it('delete of an unknown site fails', async () => {
    const { code, json } = await adminWith(gone, 'site', 'delete', 's1', '--confirm', 'N', '--json')
    expect([code, json]).toMatchObject([1, { error: 'Site not found' }])
  })

  it.each([
    [[{ rebuilt: 0, outdated: 0 }], 'No post has an old URL\n'],
    [[{ rebuilt: 1, outdated: 0 }], 'Rebuilt 1 post\n'],
    [
      [
        { rebuilt: 500, outdated: 200 },
        { rebuilt: 200, outdated: 0 },
      ],
      'Rebuilt 700 posts\n',
    ],
  ])('rebuild continues until no post has an old URL: %j', async (parts, words) => {
    const { stdout, asked } = await adminWith(parts.map(ok), 'site', 'rebuild', 's1')
    expect(stdout).toBe(words)
    expect(asked.map(({ asks }) => asks)).toEqual(parts.map(() => 'POST /sites/s1/schema-bundles/rebuilds'))
  })

  it('rebuild fails when the service fails', async () => {
    const answers = [ok({ rebuilt: 500, outdated: 1 }), { status: 500, body: { error: 'Internal error' } }]
    const { code, json } = await adminWith(answers, 'site', 'rebuild', 's1', '--json')
    expect([code, json]).toMatchObject([1, { error: 'Internal error' }])
  })
})

describe('operator', () => {
  const token = { id: 't1', lastFour: 'abcd', expiresAt: '2999-01-01T00:00:00.000Z', revokedAt: null }
  const link = { ...token, id: 'l1', sentTo: null }
  const ada = { id: 'o1', name: 'Ada', role: 'editor', sites: null, tokens: [token], links: [link] }
  const script = ({ method, path }: Asked): Answer => {
    if (path.includes('/sessions')) return ok(method === 'GET' ? { items: [], next: null } : { ended: 2 })
    if (method === 'DELETE') return { status: 204 }
    if (path.endsWith('/made')) return ok({ schedules: [], previewLinks: [] })
    if (path.endsWith('/sign-in-links')) return ok({ ...link, url: 'https://c.example/l' })
    if (method === 'GET') return page(ada)
    return ok(path.endsWith('/tokens') ? { ...token, token: 'hca_operator_x' } : ada)
  }
  const ask = async (command: string) => {
    await using server = await startManageServer(script)
    const { json } = await adminJson(server.url, 'operator', ...command.split(' '))
    const asked = server.asked.map(({ method, path, body }) => [`${method} ${path}`, body])
    return { json, asked: asked.filter(([asks]) => asks !== 'GET /operators') }
  }
  const ADD = 'POST /operators'
  const LINKS = 'POST /operators/o1/sign-in-links'

  it.each<[command: string, ...asked: [string, object?][]]>([
    ['add Ada --role editor', [ADD, { name: 'Ada', role: 'editor' }], ['POST /operators/o1/tokens', {}]],
    [
      'add Ada --role editor --sites s1,s2 --without-token',
      [ADD, { name: 'Ada', role: 'editor', sites: ['s1', 's2'] }],
    ],
    ['add Ada --role editor --link', [ADD, { name: 'Ada', role: 'editor' }], [LINKS, {}]],
    ['link Ada --mail ada@example.com', [LINKS, { email: 'ada@example.com' }]],
    ['revoke-link Ada abcd', ['PUT /operators/o1/sign-in-links/l1/revocation']],
    ['update ada --role admin', ['PATCH /operators/o1', { role: 'admin' }]],
    ['update o1 --sites all', ['PATCH /operators/o1', { sites: null }]],
    [
      'update Ada --role viewer --schedules cancel',
      ['PATCH /operators/o1?schedules=cancel', { role: 'viewer' }],
    ],
    ['remove o1', ['DELETE /operators/o1']],
    ['remove ADA --schedules keep', ['DELETE /operators/o1?schedules=keep']],
    ['made Ada', ['GET /operators/o1/made']],
    ['token Ada', ['POST /operators/o1/tokens', {}]],
    ['revoke Ada abcd', ['PUT /operators/o1/tokens/t1/revocation']],
    ['revoke Ada t1', ['PUT /operators/o1/tokens/t1/revocation']],
    ['sessions Ada', ['GET /operators/o1/sessions']],
    ['sessions Ada --end x1', ['DELETE /operators/o1/sessions/x1']],
    ['sessions Ada --end-all', ['DELETE /operators/o1/sessions']],
  ])('%s finds the operator by name, whatever its case, or by id', async (command, ...asked) => {
    expect((await ask(command)).asked).toEqual(asked.map(([asks, body]) => [asks, body]))
  })

  it('shows a new token or link, and the number of ended sessions', async () => {
    const add = 'add Ada --role editor'
    expect((await ask(add)).json).toMatchObject({ name: 'Ada', tokens: [{ token: 'hca_operator_x' }] })
    expect((await ask(`${add} --link`)).json).toMatchObject({ url: 'https://c.example/l' })
    expect((await ask('sessions Ada --end-all')).json).toEqual({ ended: 2 })
  })

  it('that is unknown is named, and so is a token', async () => {
    expect((await ask('remove Eve')).json.error).toBe('No operator is named "Eve"')
    expect((await ask('revoke Ada zzzz')).json.error).toBe('Ada has no token zzzz')
  })
})

describe('audit-log', () => {
  const ENTRY = {
    ...{ id: 1, at: 'now', siteName: 'Blog', action: 'post.published', subject: 'a-post' },
    ...{ before: { status: 'draft' }, after: { status: 'published' } },
    ...{ actor: null, channel: 'database', address: null },
    changeset: { id: 'changeset-1', entries: 1, actions: { 'post.published': 1 } },
  }

  it.each([
    ['--limit 7', 'GET /audit-log?per=changeset&limit=7'],
    [
      's1 --actor ada --action key --since 2026-11-23T00:00:00Z',
      'GET /sites/s1/audit-log?actor=ada&action=key&since=2026-11-23T00%3A00%3A00Z&per=changeset&limit=100',
    ],
    [
      's1 --subject a-post --changeset-id changeset-1',
      'GET /sites/s1/audit-log?subject=a-post&changesetId=changeset-1&per=entry&limit=100',
    ],
  ])('lists entries: %s', async (flags, asks) => {
    const { json, asked } = await adminWith(page(ENTRY), 'audit-log', ...flags.split(' '), '--json')
    expect(json).toEqual({ items: [ENTRY] })
    expect(asked[0]!.asks).toBe(asks)
  })

  it('shows what changed, and a group of entries in one line with the way to open it', async () => {
    const { stdout } = await adminWith(page(ENTRY), 'audit-log')
    expect(stdout).toContain('status=draft→published')
    expect(stdout).toMatch(/now +database +post\.published +a-post/)
    const actions = { 'post.rebuilt': 1_054, 'post.updated': 3 }
    const many = { ...ENTRY, changeset: { id: 'changeset-1', entries: 1_057, actions } }
    expect((await adminWith(page(many), 'audit-log')).stdout).toMatch(
      /post\.rebuilt 1054, post\.updated 3 +--changeset-id changeset-1/,
    )
  })
})

describe('post and guide put', () => {
  const article = (slug: string) => ({ slug, title: slug, contentHtml: '<p>x</p>' })
  const put = async (noun: string, content: unknown, server = storingScript().script) => {
    await using manage = await startManageServer(server)
    await using folder = await folderOf({
      'a.json': typeof content === 'string' ? content : JSON.stringify(content),
    })
    const run = await adminJson(manage.url, noun, 'put', 's1', join(folder.path, 'a.json'))
    return { ...run, asked: manage.asked }
  }

  it.each(['post', 'guide'])('%s put accepts one object or an array', async (noun) => {
    const { script } = storingScript()
    const one = await put(noun, article('a'), script)
    const items = [{ slug: 'a', outcome: 'created' }]
    expect(one.json).toMatchObject({ created: 1, updated: 0, unchanged: 0, items })
    expect(one.asked[0]?.path).toBe(`/sites/s1/${noun}s`)
    const many = await put(noun, ['a', 'b'].map(article), script)
    expect(many.json).toMatchObject({ created: 1, updated: 0, unchanged: 1 })
  })

  it('names the invalid item of the file', async () => {
    const { script } = storingScript(({ slug }) =>
      slug === 'p105' ? { path: 'posts[5].title', message: 'must not be "posts[4]"' } : undefined,
    )
    const articles = Array.from({ length: 120 }, (_, i) => article(`p${i}`))
    const { code, json } = await put('post', articles, script)
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
    ['null', /must hold an object or an array of objects$/],
  ])('of a bad file reports one line: %j', async (content, error) => {
    const { code, json, stderr } = await put('post', content)
    expect(json.error).toMatch(error)
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('of a missing file reports one line', async () => {
    const { json } = await adminJson('http://127.0.0.1:1', 'post', 'put', 's1', 'nowhere.json')
    expect(json).toEqual({ error: 'Cannot read nowhere.json: the file does not exist' })
  })
})

describe('training add', () => {
  const addRows = async (content: string, answer: Answer) => {
    await using folder = await folderOf({ 'rows.ndjson': content })
    return await adminWith(answer, 'training', 'add', 's1', join(folder.path, 'rows.ndjson'), '--json')
  }

  it('sends one row per line, and skips blank lines', async () => {
    const rows = '{"prompt":"a","completion":"b"}\n\n  \r\n{"prompt":"c","completion":"d"}\r\n'
    const { json, asked } = await addRows(rows, { status: 201, body: { added: 2 } })
    expect(json).toEqual({ added: 2 })
    expect(asked).toMatchObject([
      { asks: 'POST /sites/s1/training-rows', body: { rows: [{ prompt: 'a' }, { prompt: 'c' }] } },
    ])
  })

  it('names the invalid line, and adds nothing', async () => {
    const { code, json, asked } = await addRows('{"prompt":"a"}\n\n{oops}', { status: 201 })
    expect(json.error).toMatch(/rows\.ndjson is not JSON: .* at line 3, column 2$/)
    expect([code, asked]).toEqual([1, []])
  })

  it('names the line that the API refuses', async () => {
    const refused = refusal({ path: 'rows[1].prompt', message: 'must be a text' })
    const { json } = await addRows('{"prompt":"a"}\n\n{"prompt":1}', refused)
    expect(json.error).toBe('Invalid body: line 3.prompt must be a text')
  })
})

describe('a list', () => {
  const pages = ({ path }: Asked): Answer => {
    const query = new URLSearchParams(path.split('?')[1])
    const from = Number(query.get('cursor') ?? 0)
    const to = Math.min(from + Number(query.get('limit')), 250)
    const items = Array.from({ length: to - from }, (_, i) => ({ id: from + i, event: 'article.ready' }))
    return ok({ items, next: to < 250 ? String(to) : null })
  }

  it('follows all pages, and stops at --limit', async () => {
    await using server = await startManageServer(pages)
    const ids = (run: { json: { items: { id: number }[] } }) => run.json.items.map(({ id }) => id)
    const all = await adminJson(server.url, 'event', 'list', 's1')
    expect(ids(all)).toEqual(Array.from({ length: 250 }, (_, i) => i))
    server.asked.length = 0
    expect(ids(await adminJson(server.url, 'delivery', 'list', 's1', '--limit', '120'))).toHaveLength(120)
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/sites/s1/deliveries?limit=100',
      '/sites/s1/deliveries?limit=20&cursor=100',
    ])
  })

  it('escapes terminal control sequences', async () => {
    const delivery = { event: 'article.ready', slug: 'a', error: '\u001b[2Jgone' }
    const { stdout } = await adminWith(page(delivery), 'delivery', 'list', 's1')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('article.ready  a')
  })
})

describe('event resend', () => {
  const resend = {
    ...{ id: 'r1', failedUntil: 'then', total: 3, arrived: 0, failed: 0, notSent: 3 },
    ...{ interrupted: 0, ending: null },
  }
  const since = ['--failed-since', '2026-11-23T00:00:00Z']
  const run = (answers: Answer | Answer[], ...args: string[]) =>
    adminWith(answers, 'event', 'resend', 's1', ...args)

  it('shows the outcome, and exits with 1 unless it was delivered', async () => {
    const failed = { id: 'd1', eventId: 'e1', status: 503, error: 'http_status' }
    const { asked, json, code } = await run({ status: 201, body: failed }, 'e1', '--json')
    expect(asked).toMatchObject([{ asks: 'POST /sites/s1/events/e1/resends' }])
    expect({ json, code }).toEqual({ json: failed, code: 1 })
    expect((await run({ status: 201, body: { ...failed, status: 200, error: null } }, 'e1')).code).toBe(0)
  })

  it('names the flag that the API refuses', async () => {
    const refused = refusal(
      { path: 'failedSince', message: 'must be a time' },
      { path: 'slug', message: 'x' },
    )
    const { code, json } = await run(refused, '--failed-since', 'yesterday', '--json')
    expect([code, json.error]).toEqual([1, '--failed-since must be a time; slug x'])
  })

  it('--failed starts a resend, watches it to its end, and reports the outcome', async () => {
    const answers = [
      { status: 201, body: resend },
      ok({ ...resend, arrived: 1, notSent: 2 }),
      ok({ ...resend, arrived: 2, failed: 1, notSent: 0, ending: 'done' }),
    ]
    const flags = [...since, '--limit-per-second', '50', '--include-interrupted']
    const { code, json, asked } = await run(answers, ...flags, '--json')
    expect(code).toBe(1)
    expect(json).toMatchObject({ total: 3, arrived: 2, failed: 1, notSent: 0, ending: 'done' })
    const body = { failedSince: '2026-11-23T00:00:00Z', includeInterrupted: true, perSecond: 50 }
    const watch = { asks: 'GET /sites/s1/resends/r1', body: undefined }
    expect(asked).toEqual([{ asks: 'POST /sites/s1/resends', body }, watch, watch])
  })

  it('--stop stops it, and says how to continue and what may have arrived', async () => {
    const stopped = { ...resend, arrived: 1, notSent: 2, interrupted: 2, ending: 'stopped' }
    const { stdout, asked } = await run([page(resend), ok(stopped)], '--stop')
    expect(stdout).toContain(
      '3 resent: 1 delivered, 0 failed again, 2 not sent; 2 more may have been delivered',
    )
    expect(stdout).toContain('Stopped: --failed-until then sends the rest')
    expect(asked[1]!.asks).toBe('PUT /sites/s1/resends/r1/stop')
    expect((await run(page(stopped), '--stop', '--json')).json.error).toBe('No resend is running')
  })

  it('--dry-run only counts', async () => {
    const count = { failedUntil: 'then', total: 3, interrupted: 0 }
    const { json, code, asked } = await run(ok(count), ...since, '--dry-run', '--json')
    expect([code, json]).toEqual([0, { ...count, dryRun: true }])
    expect(asked.map(({ asks }) => asks)).toEqual([
      'GET /sites/s1/events/failed?failedSince=2026-11-23T00%3A00%3A00Z',
    ])
  })

  it.each([
    [['e1', ...since], 'Give either an event or --failed with its flags'],
    [['e1', '--dry-run'], 'Give either an event or --failed with its flags'],
    [['--stop', '--failed'], '--stop takes no other flags'],
    [['--webhook', 'w1'], 'Give an event, --failed or --failed-since'],
  ])('requires an event or --failed: %j', async (flags, error) => {
    const { json, asked } = await run(ok({}), ...flags, '--json')
    expect([json.error, asked]).toEqual([error, []])
  })
})

describe('delivery show', () => {
  it.each([
    [false, 'answered'],
    [true, 'answered (truncated)'],
  ])(
    'prints headers, body and response, and says if it is incomplete (%s)',
    async (answerTruncated, title) => {
      const delivery = {
        ...{ id: 'd1', status: 503, error: 'http_status', answerExcerpt: 'said no', answerTruncated },
        request: { headers: { 'webhook-id': 'e1' }, body: '{"event":"article.ready"}' },
        answerHeaders: { location: '/hook/', 'retry-after': '120' },
      }
      const show = ['delivery', 'show', 's1', 'd1']
      const { stdout, asked } = await adminWith(ok(delivery), ...show)
      expect(asked[0]!.asks).toBe('GET /sites/s1/deliveries/d1')
      for (const part of ['webhook-id  e1', '{"event":"article.ready"}', 'http_status'])
        expect(stdout).toContain(part)
      expect(stdout).toContain(`\n\n${title}\nlocation     /hook/\nretry-after  120\n\nsaid no`)
      expect((await adminWith(ok(delivery), ...show, '--json')).json).toEqual(delivery)
    },
  )
})

describe('operator erase and export-person', () => {
  const ID = '00000000-0000-4000-8000-000000000002'
  const entry = { action: 'operator.updated', actor: 'bob@example.com', address: '203.0.113.1' }

  it.each(['erase', 'export-person'])('%s takes an ID, and says so if it gets a name', async (verb) => {
    const { json, asked } = await adminWith(ok({}), 'operator', verb, 'ada@example.com', '--json')
    expect(json.error).toContain('"ada@example.com" is not an ID')
    expect(asked).toEqual([])
  })

  it('say that a person was erased before', async () => {
    const { stdout, code } = await adminWith(ok({ entries: 0 }), 'operator', 'erase', ID)
    expect([stdout, code]).toEqual(['Already erased\n', 0])
  })

  it('export no names and addresses of others who changed the person', async () => {
    const [theirs, others] = [
      { ...entry, actorId: ID },
      { ...entry, actorId: 'b' },
    ]
    const answers = [ok({ names: ['Ada'] }), page(), page(), page(theirs, others)]
    const { json } = await adminWith(answers, 'operator', 'export-person', ID, '--json')
    expect(json.entriesAboutThem).toEqual([theirs, { action: 'operator.updated', actorId: 'b' }])
  })
})
