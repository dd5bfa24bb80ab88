import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseRedirectFile } from '../../src/cli/import/redirect-lines.ts'
import { admin, adminJson, folderOf } from './support/admin.ts'
import { refusal, startManageServer, TOKEN } from './support/manage-server.ts'

describe('a file of redirects', () => {
  it.each([
    ['_redirects', '# a\n\n/a /b\n/c  /d#e 301!\r\n/f /g # why\n', ['/a /b', '/c /d#e', '/f /g'], []],
    ['_redirects', '/a /b 301\n/a/ /b 301', ['/a /b'], []],
    [
      '_redirects',
      '/a /b\n/a /c\n/x\n/news/* /n/:splat\n/p/:id /q\n/s /t 200\n/u id=:id /v\n/w /z 301 Country=us\n/t /u 302',
      ['/a /b', '/t /u'],
      [
        'line 3: has no target',
        'line 4: is a pattern',
        'line 5: is a pattern',
        'line 6: has status 200, which is not a redirect',
        'line 7: has a condition',
        'line 8: has a condition',
        'line 2: has another target than line 1, which takes precedence',
        'line 9: had status 302, and becomes 301',
      ],
    ],
    ['a.csv', 'from,to\n/a,/b\n"/c,d","/e ""f"""\n', ['/a /b', '/c,d /e "f"'], []],
    [
      'a.csv',
      '\ufeffSource;Code;Target URL\r\n/a;301;/b\r\n\r\n/c;307;/d\r\n/e',
      ['/a /b', '/c /d'],
      ['line 5: has no target', 'line 4: had status 307, and becomes 301'],
    ],
    [
      'a.csv',
      '/a,/b\n"x\ny",\n/c,/d,404',
      ['/a /b'],
      ['line 2: has no target', 'line 4: has status 404, which is not a redirect'],
    ],
    ['a.csv', '/a,/b\n"/c,/d\n/e,/f', ['/a /b'], ['line 2: has no target']],
    ['a.tsv', 'old\tnew\n/a\t/b', ['/a /b'], []],
    [
      'a.json',
      '{"items":[{"from":"/a","to":"/b","resource":null,"slug":null},{"from":"/c","to":"/d","resource":"post","slug":"d"},{"to":"/x"}]}',
      ['/a /b', '/c post d'],
      ['item 3: needs from, and to or slug'],
    ],
    [
      'nginx.conf',
      'location = "/ä b" { absolute_redirect off; return 301 "/c$is_args$args"; }\nlocation ~ "^/d\\(1\\)$" { absolute_redirect off; return 301 "https://e.example/?f"; }\nlocation /x { }\n',
      ['/%C3%A4%20b /c', '/d(1) https://e.example/?f'],
      ['line 3: is not in the format of this service'],
    ],
    ['empty', '', [], []],
  ])('%s %j', (name, text, redirects, named) => {
    const found = parseRedirectFile(name, text)
    expect(found.redirects.map(({ redirect }) => Object.values(redirect).join(' '))).toEqual(redirects)
    expect([...found.skipped, ...found.changed].map(({ place, reason }) => `${place}: ${reason}`)).toEqual(
      named,
    )
  })

  it.each(['{', '{}', '"x"'])('that is other JSON is refused: %s', (text) => {
    expect(() => parseRedirectFile('a.json', text)).toThrow(
      /^it (?:is not JSON: .* line 1|has no list of redirects)/,
    )
  })
})

describe('redirect import', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `/${at} /to`).join('\n')

  /** Refuses `/bad` as the service does, and everything after that many. */
  const serverOf = (most = Number.POSITIVE_INFINITY) => {
    let taken = 0
    return startManageServer(({ body }) => {
      const at = body.redirects.findIndex(({ from }: { from: string }) => from === '/bad')
      if (at >= 0)
        return refusal({ path: `redirects[${at}].to`, message: 'must not lead back to the address itself' })
      if (taken >= most) return { status: 500, body: { error: 'Internal error' } }
      taken += body.redirects.length
      return { status: 200, body: { created: body.redirects.length, updated: 0, unchanged: 0 } }
    })
  }

  it('puts everything in a file, 500 at a time, and names the refused lines', async () => {
    await using server = await serverOf()
    await using folder = await folderOf({ r: `${lines(700)}\n/bad /x\n/y\n` })
    const file = join(folder.path, 'r')
    const { code, json } = await adminJson(server.url, 'redirect', 'import', 's1', file)
    expect({ code, json }).toEqual({
      code: 1,
      json: {
        ...{ created: 700, updated: 0, unchanged: 0, changed: [] },
        skipped: [
          { place: 'line 702', reason: 'has no target' },
          { place: 'line 701', reason: 'Invalid body: to must not lead back to the address itself: /bad' },
        ],
      },
    })
    expect(server.asked.map(({ body }) => [body.redirects.length, body.onlyNew])).toEqual([
      [500, false],
      [201, false],
      [200, false],
    ])
    const { stdout } = await admin([
      '--url',
      server.url,
      '--token',
      TOKEN,
      'redirect',
      'import',
      's1',
      file,
      '--only-new',
    ])
    expect(stdout).toBe(
      'Not saved: line 702: has no target\nNot saved: line 701: Invalid body: to must not lead back to the address itself: /bad\n700 added, 0 updated, 0 unchanged, 2 not saved\n',
    )
    expect(server.asked.at(-1)!.body.onlyNew).toBe(true)
  })

  it('reports its progress when the service fails', async () => {
    await using server = await serverOf(500)
    await using folder = await folderOf({ r: lines(700) })
    const { code, json } = await adminJson(server.url, 'redirect', 'import', 's1', join(folder.path, 'r'))
    expect({ code, json }).toEqual({
      code: 1,
      json: {
        error: 'Internal error (the first 500 of 700 were saved; run the same command again for the rest)',
      },
    })
  })

  it('of a missing or unreadable file fails in one line', async () => {
    await using folder = await folderOf({ 'r.json': '{' })
    const run = async (file: string) =>
      (await adminJson('http://127.0.0.1:1', 'redirect', 'import', 's1', join(folder.path, file))).json.error
    expect(await run('none')).toMatch(/^Cannot read .*none: the file does not exist$/)
    expect(await run('r.json')).toMatch(/^Cannot read .*r\.json: it is not JSON: .* at line 1, column 2$/)
  })
})
