/** Follows the guide in a shell: runs each block, and compares the answer with the next block. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run as runAdmin } from '../../src/cli/run.ts'
import { startService } from '../browser/service.ts'
import { freePort } from '../support/free-port.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { type Block, blocksOf, fileOf, PAGES } from './blocks.ts'

const PROJECT = join(import.meta.dirname, '../..')
const OUTPUTS = ['http', 'json', 'text']
const END_OF_BLOCK = '\u001e'

/** Blocks that are not run, by their start. */
const ELSEWHERE: Record<string, string> = {
  '// src/content.config.ts':
    'that of docs/examples/astro, as the test below says; built by test/installs/examples.test.ts',
  '// Code by Zapier': 'run on signed and forged POSTs by test/installs/automation.test.ts',
  'import { verify }': 'run on a signed POST by test/installs/verify-webhook.test.ts',
  '$headers = array_change_key_case': 'run on a signed POST by test/installs/verify-webhook.test.ts',
  'headers = env.filter_map': 'run on a signed POST by test/installs/verify-webhook.test.ts',
  '// sitemap.js': 'run in workerd by test/installs/sitemap-proxies.test.ts',
  'location = /sitemap.xml': 'run in nginx by test/installs/sitemap-proxies.test.ts',
  'npm ci --omit=dev': 'the preparation of another machine, where somebody pastes a token',
  'claude mcp add': 'of a program that is not here',
  '{\n  "mcpServers": {\n    "content": {\n      "url"': 'the settings of a client',
  '{\n  "mcpServers": {\n    "content": {\n      "command"': 'the settings of a client',
  'Sitemap: https://YOUR-WORKER': 'a line of robots.txt, which nothing here reads',
  '<link rel="alternate"': 'lines of a page, which nothing here reads',
}

const isElsewhere = ({ code }: Block) => Object.keys(ELSEWHERE).some((begin) => code.startsWith(begin))

let service: Awaited<ReturnType<typeof startService>>
let folder: string
let commandLine: HttpServer

beforeAll(async () => {
  service = await startService()
  // Like the project's folder after `npm start`.
  folder = mkdtempSync(join(tmpdir(), 'guide-'))
  for (const name of ['package.json', 'node_modules', 'src'])
    symlinkSync(join(PROJECT, name), join(folder, name))
  mkdirSync(join(folder, '.local'))
  symlinkSync(service.file, join(folder, '.local/service.json'))
  commandLine = await startCommandLine()
})

afterAll(async () => {
  await commandLine?.close()
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Runs each command of the shell in this process, since npm and Node take a second to start. `test/cli/main.test.ts` starts
 * them.
 */
function startCommandLine(): Promise<HttpServer> {
  return startHttpServer(async (request, response) => {
    const args = (await text(request)).split('\0').slice(0, -1)
    const printed: string[] = []
    const stdout = { write: (piece: string) => void printed.push(piece) }
    const code = await runAdmin(args, { stdout, stderr: { write() {} }, env: {}, cwd: folder, fetch })
    response.writeHead(code === 0 ? 200 : 500).end(printed.join(''))
  })
}

const adminOf = (url: string) => `npm() {
  [ "$1 $2 $3" = "run -s admin" ] || { command npm "$@"; return; }
  shift 4
  printf '%s\\0' "$@" | curl --silent --fail-with-body --data-binary @- ${url} || return 1
}`

/** A machine that runs other tests as well needs longer. */
const SLOW_SLEEP = 'sleep() { command sleep $((3 * $1)); }'

/** The output of a background job would come at any time, even within a line. */
const apart = (code: string) => code.replaceAll(/ &$/gm, ' >&2 &')

/**
 * Runs the shell blocks in one shell.
 * @returns the output of each
 */
async function run(blocks: Block[]): Promise<string[]> {
  const setup = blocksOf('quick-start.md')[0]!.code
  const script = [
    adminOf(commandLine.url),
    SLOW_SLEEP,
    setup,
    ...blocks.map(({ code }) => `${apart(code)}echo ${END_OF_BLOCK}`),
  ].join('\n')
  const { DATABASE_URL: _database, REDIS_URL: _redis, LOCAL_DIR: _dir, ...env } = process.env
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', `${script}\nkill $(jobs -p) 2>/dev/null || true`], {
    cwd: folder,
    env,
  })
  let output = ''
  let errors = ''
  shell.stdout.on('data', (chunk) => (output += chunk))
  shell.stderr.on('data', (chunk) => (errors += chunk))
  const [status] = await once(shell, 'close')
  if (status !== 0) throw new Error(`The shell ended with ${status}:\n${output}\n${errors}`)
  return output.replaceAll('\r', '').split(`${END_OF_BLOCK}\n`)
}

/** Expected output, in which `…` stands for the rest of a line, or for lines. Any lines of a response may be shown. */
function expectPrinted(printed: string, { language, code }: Block) {
  const shown = code.trimEnd()
  if (language === 'text') return expect(`${printed.trimEnd()}\n`).toMatch(patternOf(shown))
  for (const line of shown.split('\n').filter((each) => each !== '…')) {
    const isPrinted = printed.split('\n').some((each) => patternOf(line).test(`${each}\n`))
    expect(isPrinted, `${line}\n\nis not in:\n\n${printed}`).toBe(true)
  }
}

function patternOf(shown: string): RegExp {
  const lines = shown.split('\n').map((line) => {
    if (line === '…') return '(?:.*\\n)*'
    return `${line.split('…').map(literal).join('.*')}\\n`
  })
  return new RegExp(`^${lines.join('')}$`)
}

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

describe('the guide', () => {
  it('has pages with blocks', () => {
    const all = PAGES.flatMap(blocksOf)
    expect(all.length).toBeGreaterThan(35)
    expect(all.filter(isElsewhere)).toHaveLength(Object.keys(ELSEWHERE).length)
  })

  it('shows the configuration of the Astro example unchanged', () => {
    const shown = blocksOf('static-sites.md').find(({ code }) => code.startsWith('// src/content.config.ts'))
    const file = readFileSync(join(PROJECT, 'docs/examples/astro/src/content.config.ts'), 'utf8')
    expect(shown!.code).toBe(`// src/content.config.ts\n${file}`)
  })

  it.each(PAGES.filter((page) => blocksOf(page).length > 0))('%s works as described', async (page) => {
    const port = String(await freePort())
    const blocks = blocksOf(page)
      .filter((block) => !isElsewhere(block))
      .map(({ language, code }) => ({ language, code: code.replaceAll('9000', port) }))
    const shell = blocks.filter(({ language }) => language === 'sh')
    const files = blocks.filter((block) => fileOf(block) !== undefined)
    for (const file of files) writeFileSync(join(folder, fileOf(file)!), file.code)
    const printed = await run(shell)
    let before = -1
    for (const block of blocks) {
      if (block.language === 'sh') before += 1
      else if (OUTPUTS.includes(block.language)) expectPrinted(printed[before]!, block)
      else
        expect(
          shell.some(({ code }) => code.includes(`node ${fileOf(block)}`)),
          block.code,
        ).toBe(true)
    }
  })
})
