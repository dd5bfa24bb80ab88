import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { mounting } from '../support/mounts.ts'

type Service = {
  baseUrl: string
  manageUrl: string
  operatorToken: string
  demo: { siteId: string; apiKey: string }
}

const PROJECT = join(import.meta.dirname, '../..')
const dir = mkdtempSync(join(tmpdir(), 'service-'))
let port: number
let first: Run
let service: Service

beforeAll(async () => {
  port = await freePort()
  chmodSync(dir, 0o755)
  first = start()
  await first.ready
  service = readService()
})

afterAll(async () => {
  first.child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

describe('a running service', () => {
  it('prints the base URL, the demo site, its key and three curl lines that work', () => {
    const output = first.output()
    expect(output).toContain(service.baseUrl)
    expect(output).toContain(service.demo.siteId)
    expect(output).toContain(service.demo.apiKey)
    const lines = output.split('\n').filter((line) => line.trim().startsWith('curl '))
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(execFileSync('sh', ['-c', `${line} --silent`], { encoding: 'utf8' })).toMatch(/^HTTP\/1\.1 200 /)
    }
  })

  it('keeps secrets unreadable for other users', () => {
    expect(service.baseUrl).toBe(`http://127.0.0.1:${port}/api/v1`)
    for (const name of ['service.json', 'secrets.json', 'worker.log']) {
      expect([name, statSync(join(dir, name)).mode & 0o777]).toEqual([name, 0o600])
    }
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('stores a key sent in a URL only where it was first shown', async () => {
    const { siteId, apiKey } = service.demo
    const sitemap = await fetch(`${service.baseUrl}/sites/${siteId}/sitemap.xml?token=${apiKey}`)
    expect(sitemap.status).toBe(200)
    const mistaken = await fetch(`${service.baseUrl}/sites/${siteId}/posts/${apiKey}`)
    expect(mistaken.status).toBe(401)
    expect(filesWith('').length).toBeGreaterThan(10)
    await expect.poll(() => filesWith(mistaken.headers.get('x-request-id')!)).toEqual(['worker.log'])
    expect(filesWith(apiKey)).toEqual(['service.json'])
  })

  it("stores the operator's token only in private files, a webhook's secret in none, and prints neither", async () => {
    const response = await fetch(`${service.manageUrl}/sites/${service.demo.siteId}/webhook`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.acme.com/' }),
    })
    const { secret } = (await response.json()) as { secret: string }
    expect(secret).toMatch(/^whsec_/)
    expect(filesWith(service.operatorToken)).toEqual(['secrets.json', 'service.json'])
    expect(filesWith(secret.slice('whsec_'.length))).toEqual([])
    expect(first.output()).not.toContain(service.operatorToken)
  })

  it('has no inspector, which would show every secret to anyone who reaches its port', async () => {
    const group = processesOf(workerGroup())
    for (const { args } of group) expect(args).not.toMatch(/--(inspector-addr|debug-port)/)
    const ports = listeningPorts(group.map(({ pid }) => pid))
    if (process.platform === 'linux') expect(ports).toContain(port)
    for (const each of ports) {
      const response = await fetch(`http://127.0.0.1:${each}/json/list`)
      expect([each, await response.text()]).toEqual([each, expect.not.stringContaining('DebuggerUrl')])
    }
  })

  it('shows no secret in the process list', () => {
    const args = processesOf(workerGroup()).map((each) => each.args)
    const secrets = Object.values(JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8'))) as string[]
    for (const secret of secrets) expect(args.join()).not.toContain(secret)
  })

  it('has no local path in the log', () => {
    const log = readFileSync(join(dir, 'worker.log'), 'utf8')
    for (const place of [dir, PROJECT, homedir()]) expect(log).not.toContain(place)
  })

  it('answers a large request that it refuses', async () => {
    const body = new Uint8Array(5_000_000)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const response = await fetch(`${service.baseUrl}/webhooks/test`, { method: 'POST', body })
      expect(response.status).toBe(401)
      await response.body?.cancel()
    }
  })

  it('has posts in two languages, drafts, guides and training rows', async () => {
    const { items } = JSON.parse(await read('/posts?pageSize=50')) as { items: Record<string, unknown>[] }
    const sources = items.filter(({ language }) => language === 'en').map(({ id }) => id)
    const translations = items.filter(({ language }) => language === 'de')
    expect(translations.length).toBeGreaterThan(0)
    for (const { sourcePostId } of translations) expect(sources).toContain(sourcePostId)
    expect(items.filter(({ status, qualityBand }) => status === 'draft' && qualityBand)).toHaveLength(1)
    expect(await read('/sitemap.xml')).toContain('https://example.com/guides/')
    expect((await read('/training/export')).trim().split('\n')).toHaveLength(4)
  })

  it('runs the cron of the Worker', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`)
    expect(await response.text()).toBe('ok')
  })

  it('runs no cron for a website', async () => {
    for (const header of [
      'Host: evil.example.com',
      'Origin: https://evil.example.com',
      'Sec-Fetch-Site: cross-site',
    ]) {
      const status = execFileSync('curl', [
        '--silent',
        '--output',
        '/dev/null',
        '--write-out',
        '%{http_code}',
        '--header',
        header,
        `http://127.0.0.1:${port}/cdn-cgi/local/scheduled`,
      ])
      expect([header, String(status)]).toEqual([header, '403'])
    }
  })

  it('listens on no other port, where a client could claim another address', async () => {
    const ports = listeningPorts(processesOf(workerGroup()).map(({ pid }) => pid))
    for (const each of ports.filter((other) => other !== port)) {
      for (const path of ['/', '/docs', '/api/v1/openapi.json', '/console', '/webhooks/test']) {
        const { status } = await fetch(`http://127.0.0.1:${each}${path}`, { redirect: 'manual' })
        expect([each, path, status >= 400]).toEqual([each, path, true])
      }
    }
  })
})

it.skipIf(!mounting)(
  'a full disk at startup is reported in one line (skipped where none can be mounted)',
  async () => {
    const own = mkdtempSync(join(tmpdir(), 'full-'))
    const steps = [
      `mount -t tmpfs -o size=8m none ${own}`,
      `LOCAL_DIR=${own} PORT=${await freePort()} ${process.execPath} src/local/start.ts 2>&1`,
    ]
    const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '' }
    const [command, options] = mounting!
    const run = spawnSync(command, [options, 'sh', '-c', steps.join(' && ')], { encoding: 'utf8', env })
    rmSync(own, { recursive: true, force: true })
    expect(run.stdout).toMatch(/^The embedded Postgres cannot be opened in .*: the disk is full\n$/)
  },
)

describe('one clear line and exit code 1', () => {
  it('when the port is in use', async () => {
    await expectRefusal({}, `Port ${port} on 127.0.0.1 is in use: set PORT to another one\n`)
  })

  it('when another service uses the folder', async () => {
    const other = String(await freePort())
    await expectRefusal({ PORT: other }, /^Another service \(process \d+\) uses the folder .*LOCAL_DIR.*\n$/)
  })

  it('when it gets an argument', async () => {
    await expectRefusal(
      {},
      /^--port: npm start takes no arguments\. These environment variables configure it: PORT, .*\.\n$/,
      ['--port'],
    )
  })

  it("when one of the Worker's variables breaks its rule", async () => {
    const own = mkdtempSync(join(tmpdir(), 'start-'))
    await expectRefusal(
      { PORT: String(await freePort()), LOCAL_DIR: own, RETENTION_AUDIT_DAYS: '7' },
      'Configuration: RETENTION_AUDIT_DAYS: must be',
    )
    rmSync(own, { recursive: true })
  })

  it('when PORT is not a port', async () => {
    await expectRefusal({ PORT: 'http' }, 'PORT must be a whole number from 1 to 65535\n')
  })
})

describe('SIGTERM', () => {
  it('ends every process within seconds, and the next start keeps the data and the sessions', async () => {
    const consoleUrl = service.manageUrl.replace('/manage/v1', '/console')
    const signIn = await fetch(`${consoleUrl}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: new URL(consoleUrl).origin },
      body: new URLSearchParams({ token: service.operatorToken }),
    })
    const [cookie] = signIn.headers.getSetCookie()
    const group = workerGroup()
    const began = performance.now()
    first.child.kill('SIGTERM')
    first.child.kill('SIGINT')
    const [code] = await once(first.child, 'exit')
    expect(code).toBe(0)
    expect(performance.now() - began).toBeLessThan(15_000)
    expect(processesOf(group)).toEqual([])

    first = start()
    await first.ready
    expect(readService()).toEqual(service)
    const overview = await fetch(`${consoleUrl}/overview`, {
      redirect: 'manual',
      headers: { Cookie: cookie! },
    })
    expect(overview.status).toBe(200)
    const sites = await fetch(`${service.manageUrl}/sites`, {
      headers: { authorization: `Bearer ${service.operatorToken}` },
    })
    expect(((await sites.json()) as { items: unknown[] }).items).toHaveLength(1)
  })
})

describe('SIGKILL', () => {
  it('leaves no process of the Worker behind', async () => {
    const group = workerGroup()
    first.child.kill('SIGKILL')
    await expect.poll(() => processesOf(group)).toEqual([])
  })
})

type Run = { child: ChildProcess; ready: Promise<void>; output(): string }

function start(env: Record<string, string> = {}, args: string[] = []): Run {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env
  const child = spawn(process.execPath, ['src/local/start.ts', ...args], {
    cwd: PROJECT,
    env: { ...inherited, PORT: String(port), LOCAL_DIR: dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (output.includes('service.json')) resolve()
      })
    }
    child.once('exit', () => reject(new Error(output)))
  })
  ready.catch(() => {})
  return { child, ready, output: () => output }
}

async function expectRefusal(
  env: Record<string, string>,
  line: string | RegExp,
  args: string[] = [],
): Promise<void> {
  const { child, output } = start(env, args)
  const [code] = await once(child, 'close')
  expect(output()).toMatch(line)
  expect(output().split('\n')).toHaveLength(2)
  expect(code).toBe(1)
}

async function read(path: string): Promise<string> {
  const response = await fetch(`${service.baseUrl}/sites/${service.demo.siteId}${path}`, {
    headers: { authorization: `Bearer ${service.demo.apiKey}` },
  })
  expect([path, response.status]).toEqual([path, 200])
  return response.text()
}

function filesWith(text: string): string[] {
  const files = globSync('**/*', { cwd: dir }).filter((file) => statSync(join(dir, file)).isFile())
  return files.filter((file) => readFileSync(join(dir, file)).includes(text)).sort()
}

function readService(): Service {
  const { baseUrl, manageUrl, operatorToken, demo } = JSON.parse(
    readFileSync(join(dir, 'service.json'), 'utf8'),
  ) as Service
  return { baseUrl, manageUrl, operatorToken, demo }
}

type Process = { pid: number; parent: number; group: number; args: string }

// Zombies that init has not reaped yet count as gone.
function processes(): Process[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^ *(\d+) +(\d+) +(\d+) +[^Z]\S* +(.*)$/.exec(line)?.slice(1))
    .flatMap((found) => {
      const [pid, parent, group] = (found ?? []).map(Number) as [number, number, number]
      return found ? [{ pid, parent, group, args: found[3]! }] : []
    })
}

/** The group of the Worker's runtime and of the process that started it. */
function workerGroup(): number {
  return processes().find(({ parent }) => parent === first.child.pid)!.group
}

function processesOf(group: number): Process[] {
  return processes().filter((each) => each.group === group)
}

/** The TCP ports that the processes listen on; none without /proc. */
function listeningPorts(pids: number[]): number[] {
  const sockets = pids.flatMap((pid) => globSync(`/proc/${pid}/fd/*`)).map((file) => linkOf(file))
  const table = globSync('/proc/net/tcp').map((file) => readFileSync(file, 'utf8'))
  return table
    .flatMap((text) => text.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(`socket:[${inode}]`))
    .map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16))
}

function linkOf(file: string): string | null {
  try {
    return readlinkSync(file)
  } catch {
    return null
  }
}
