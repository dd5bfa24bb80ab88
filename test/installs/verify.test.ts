/** The snippets of the console, run like a receiver where their language is installed. */
import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { signatureHeaders } from '../../src/webhooks/signature.ts'
import { type Claim, PROGRAMS } from './programs.ts'

const SNIPPETS = join(import.meta.dirname, '../../functions/public/console/snippets')
const secret = generateSecret()
const body = JSON.stringify({ event: 'article.ready', title: 'Ü "x" \u{1F6B2}. A.B.', empty: '' })

async function signed(fields: { at?: Date; secret?: string } = {}): Promise<Required<Claim>> {
  const signing = { id: crypto.randomUUID(), at: new Date(), secret, previousSecret: null, ...fields }
  const headers = await signatureHeaders({ ...signing, body: new TextEncoder().encode(body) })
  return {
    timestamp: headers['X-Service-Timestamp']!,
    signature: headers['X-Service-Signature']!,
    body,
    secret,
  }
}

/** A claim with any timestamp, and a matching signature. */
const fitting = (timestamp: string, key = secret): Required<Claim> => ({
  ...{ timestamp, body, secret: key },
  signature: createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex'),
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

describe('each snippet', () => {
  it('has a program that runs it', () => {
    expect(readdirSync(SNIPPETS).sort()).toEqual(PROGRAMS.map(({ snippet }) => snippet).sort())
  })
})

describe.each(PROGRAMS)('the snippet for $language', ({ snippet, place, command, files, version }) => {
  const isInstalled = spawnSync(version[0]!, version.slice(1)).status === 0
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'snippet-'))
    cpSync(join(SNIPPETS, snippet), join(folder, place))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function judge(claims: Claim[]): unknown {
    const env = { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod' }
    const [program, ...args] = command
    const run = spawnSync(program!, args, {
      cwd: folder,
      env,
      input: JSON.stringify(claims),
      encoding: 'utf8',
    })
    if (run.status !== 0) throw new Error(`${run.error ?? ''}${run.stderr}`)
    return JSON.parse(run.stdout)
  }

  it.skipIf(!isInstalled)(
    'accepts genuine requests and refuses others (skipped where it is not installed)',
    async () => {
      const genuine = await signed()
      const claims: [boolean, Claim][] = [
        [true, genuine],
        [true, await signed({ at: ago(240) })],
        [false, { ...genuine, body: `${body} ` }],
        [false, { ...genuine, body: JSON.stringify(JSON.parse(body), null, 1) }],
        [false, { ...genuine, body: '' }],
        [false, { ...genuine, timestamp: String(Number(genuine.timestamp) + 1) }],
        [false, { ...genuine, timestamp: '' }],
        [false, { ...genuine, timestamp: 'soon' }],
        [false, { ...genuine, timestamp: 'ü' }],
        [false, { ...genuine, timestamp: '9'.repeat(400) }],
        [false, await signed({ at: ago(600) })],
        [false, await signed({ at: ago(-600) })],
        [false, await signed({ secret: generateSecret() })],
        [false, { ...genuine, signature: '' }],
        [false, { ...genuine, signature: 'zz' }],
        [false, { ...genuine, signature: 'ü' }],
        [false, { ...genuine, signature: genuine.signature.slice(0, 62) }],
        [false, { ...genuine, signature: `${genuine.signature}00` }],
        [false, { ...genuine, signature: '0'.repeat(64) }],
      ]
      expect(judge(claims.map(([, claim]) => claim))).toEqual(claims.map(([isGenuine]) => isGenuine))
    },
  )

  it.skipIf(!isInstalled)(
    'refuses other forms of timestamp and signature, also under a matching MAC (skipped where it is not installed)',
    async () => {
      const genuine = await signed()
      const { timestamp, signature } = genuine
      const arabic = timestamp.replaceAll(/./g, (digit) => String.fromCharCode(0x660 + Number(digit)))
      const hex = `0x${Number(timestamp).toString(16)}`
      const forms = [
        ...[` ${timestamp}`, `${timestamp} `, `${timestamp}\n`, `\n${timestamp}`, `x\n${timestamp}\nx`],
        ...[`+${timestamp}`, `${timestamp}.0`, `${timestamp}e0`, `${Number(timestamp) / 1e9}e9`, hex, arabic],
        ...[`${timestamp.slice(0, 1)}_${timestamp.slice(1)}`, timestamp.padStart(13, '0'), `${timestamp}x`],
      ]
      const claims: Claim[] = [
        ...forms.map((form) => fitting(form)),
        ...['zz', '\n', ' ', '==', '\nx'].map((end) => ({ ...genuine, signature: signature + end })),
        { ...genuine, signature: signature.toUpperCase() },
        { ...genuine, signature: `\n${signature}` },
        { ...genuine, signature: `${signature}, ${signature}` },
        { body, secret, timestamp },
        { body, secret, signature },
        fitting(timestamp, ''),
      ]
      expect(judge([...claims, fitting(timestamp)])).toEqual([...claims.map(() => false), true])
    },
  )

  it.skipIf(!isInstalled)(
    'refuses a genuine request in which a dot was moved (skipped where it is not installed)',
    async () => {
      const { timestamp, signature } = await signed()
      const whole = `${timestamp}.${body}`
      const cuts = [...whole.matchAll(/\./g)].map(({ index }) => index)
      const claims = cuts.map((at) => ({
        ...{ timestamp: whole.slice(0, at), body: whole.slice(at + 1) },
        ...{ signature, secret },
      }))
      // The first dot is in its proper place.
      expect(judge(claims)).toEqual([true, ...claims.slice(1).map(() => false)])
      expect(claims.length).toBeGreaterThan(2)
    },
  )
})
