/** The console's curl line, run in a shell where curl is installed. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { curlCommand } from '../../functions/console/integrations/curl.ts'
import { startReceiver } from '../support/receiver.ts'

const isInstalled = spawnSync('curl', ['--version']).status === 0

describe('a delivery as curl', () => {
  it.skipIf(!isInstalled)('is the same POST, byte for byte (skipped where it is not installed)', async () => {
    const receiver = await startReceiver()
    const body = `{"title" : "It's $HOME \`id\` \\\\ \\n @x & \u{1F6B2}",\n"b": ""}`
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['User-Agent', "it's a test (+webhooks)"],
      ['webhook-signature', 'v1,a+b/c= v1,d'],
    ]
    const line = curlCommand(`${receiver.url}/curl/ok?list[]={a,b}&q='x'`, headers, body)
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    expect(stdout).toMatch(/^HTTP\/1\.1 200[\s\S]*thanks$/)
    const answer = await fetch(`${receiver.url}/curl`)
    const [post] = (await answer.json()) as Record<string, unknown>[]
    expect(post).toMatchObject({
      path: "/curl/ok?list[]={a,b}&q='x'",
      body,
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    })
    await receiver.close()
  })
})
