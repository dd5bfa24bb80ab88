/** Image downloads of the WordPress plugin: each request goes to the address that was checked. WordPress itself is a stub. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const PLUGIN = 'docs/receivers/wordpress/headless-content'
const SCRIPT = join(import.meta.dirname, 'wordpress-plugin/image-addresses.php')
const missing = spawnSync('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);']).status !== 0
const PUBLIC = '93.184.216.34'
const OTHER = '8.8.4.4'
const HOSTS = {
  'a.example': [PUBLIC],
  'b.example': [OTHER],
  'inside.example': ['10.0.0.1'],
  'both.example': [PUBLIC, '127.0.0.1'],
  2130706433: ['127.0.0.1'],
  '0x7f.1': ['127.0.0.1'],
  '127.1': ['127.0.0.1'],
  '0177.0.0.1': ['127.0.0.1'],
}

type Answer = { status: number; location?: string | string[] }
type Outcome = { asked: { url: string; pin: string[] | null }[]; problem: string }

function download(url: string, answers: Answer[] = []): Outcome {
  const input = JSON.stringify({ url, answers, hosts: HOSTS })
  return JSON.parse(execFileSync('php', [SCRIPT, PLUGIN], { input, encoding: 'utf8' })) as Outcome
}

const to = (location: string | string[]): Answer => ({ status: 302, location })

describe.skipIf(missing)(
  `images of the plugin for WordPress${missing ? ' (skipped: no php with curl)' : ''}`,
  () => {
    it.each([
      ['http://a.example/a.png', 'http://a.example/a.png', 'a.example:80'],
      ['HTTP://a.example/a.png', 'http://a.example/a.png', 'a.example:80'],
      ['HtTpS://A.Example/A.png?B', 'https://a.example/A.png?B', 'a.example:443'],
      ['http://a.example./a.png', 'http://a.example/a.png', 'a.example:80'],
      ['http://A.EXAMPLE:8080/a b.png#c', 'http://a.example:8080/a%20b.png', 'a.example:8080'],
      ['https://a.example', 'https://a.example', 'a.example:443'],
    ])('pins %s to the address that was checked', (written, url, host) => {
      expect(download(written)).toEqual({ asked: [{ url, pin: [`${host}:${PUBLIC}`] }], problem: '' })
    })

    it.each([
      ['ftp://a.example/a.png', 'http or https'],
      ['//a.example/a.png', 'http or https'],
      ['\thttp://a.example/a.png', 'http or https'],
      ['ht\ntp://a.example/a.png', 'http or https'],
      ['http:a.example/a.png', 'not public'],
      ['http:\\\\a.example\\a.png', 'not public'],
      ['http://a.example\\@inside.example/', 'not public'],
      ['http://user@a.example/a.png', 'not public'],
      ['http://user:p@a.example/a.png', 'not public'],
      ['http://a.example%00.inside.example/', 'not public'],
      ['http://%69nside.example/', 'not public'],
      ['http://ınside.example/', 'not public'],
      ['http://127。0。0。1/', 'not public'],
      ['http://a.example\n/a.png', 'not public'],
      ['http://./a.png', 'not public'],
      ['http://[::1]/a.png', 'not public'],
      ['http://[::ffff:127.0.0.1]/a.png', 'not public'],
      ['http://[::ffff:7f00:1]/a.png', 'not public'],
      ['HTTP://127.0.0.1/a.png', 'not public'],
      ['http://2130706433/a.png', 'not public'],
      ['http://0x7f.1/a.png', 'not public'],
      ['http://127.1/a.png', 'not public'],
      ['http://0177.0.0.1/a.png', 'not public'],
      ['HTTP://INSIDE.example./a.png', 'not public'],
      ['http://both.example/a.png', 'not public'],
      ['http://none.example/a.png', 'has no address'],
    ])('sends no request to %j', (url, problem) => {
      expect(download(url)).toEqual({ asked: [], problem: expect.stringContaining(problem) })
      // A redirect is checked in the same way, but may omit the scheme.
      if (!url.startsWith('//'))
        expect(download('http://a.example/', [to(url)]).asked.map(({ pin }) => pin)).toEqual([
          [`a.example:80:${PUBLIC}`],
        ])
    })

    it('pins each redirect to an address of its own host', () => {
      const answers = [to('HTTP://B.example/b.png'), to('/c.png'), to('//A.example./d.png')]
      expect(download('HTTP://a.example/a.png', answers)).toEqual({
        asked: [
          { url: 'http://a.example/a.png', pin: [`a.example:80:${PUBLIC}`] },
          { url: 'http://b.example/b.png', pin: [`b.example:80:${OTHER}`] },
          { url: 'http://b.example/c.png', pin: [`b.example:80:${OTHER}`] },
          { url: 'http://a.example/d.png', pin: [`a.example:80:${PUBLIC}`] },
        ],
        problem: '',
      })
    })

    it('follows a redirect from http to https, but to no other scheme', () => {
      expect(download('http://a.example/', [to('HTTPS://b.example/')]).problem).toBe('')
      const redirects: [from: string, location: string | string[], problem: string][] = [
        ['https://a.example/', 'http://b.example/', 'from https to http'],
        ['HTTPS://a.example/', 'HTTP://a.example/', 'from https to http'],
        ['http://a.example/', 'ftp://a.example/', 'not one of http or https'],
        ['http://a.example/', 'file:///etc/passwd', 'not one of http or https'],
        ['http://a.example/', 'gopher://a.example/', 'not one of http or https'],
        ['http://a.example/', ['http://b.example/', 'http://127.0.0.1/'], 'more than one address'],
      ]
      for (const [from, location, problem] of redirects) {
        const outcome = download(from, [to(location)])
        expect([location, outcome.problem, outcome.asked.length]).toEqual([
          location,
          expect.stringContaining(problem),
          1,
        ])
      }
    })
  },
)
