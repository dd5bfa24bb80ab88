import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { blocksOf, fileOf } from './blocks.ts'

const { code } = blocksOf('webhooks.md').find((block) => fileOf(block) === 'receiver.mjs')!
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

let receiver: ChildProcess | undefined
afterEach(() => void receiver?.kill())

describe("the guide's receiver", () => {
  it('accepts a genuine POST, and refuses an altered and an old one', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'receiver-')), 'receiver.mjs')
    writeFileSync(file, code)
    const port = await freePort()
    receiver = spawn(process.execPath, [file], {
      env: { ...process.env, WEBHOOK_SECRET: secret, RECEIVER_PORT: String(port) },
    })
    const now = Math.floor(Date.now() / 1_000)
    const body = JSON.stringify({ event: 'article.ready', title: 'Ü "x"' })
    const post = async (timestamp: number, sent: string) => {
      const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
      const headers = { 'X-Service-Timestamp': String(timestamp), 'X-Service-Signature': signature }
      return (await reach(() => fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: sent })))
        .status
    }
    expect(await post(now, body)).toBe(204)
    expect(await post(now, `${body} `)).toBe(401)
    expect(await post(now - 3_600, body)).toBe(401)
    // A sender that disconnects, and one that never ends.
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx', () => socket.destroy())
    await once(socket, 'close')
    expect(await post(now, body)).toBe(204)
    const endless = await post(now, 'x'.repeat(2_000_000)).catch(() => 413)
    expect(endless).toBe(413)
    expect(await post(now, body)).toBe(204)
  })

  it('verifies as the console says', () => {
    const snippet = readFileSync('functions/public/console/snippets/verify.mjs', 'utf8')
    const [own, shown] = [code, snippet].map((text) => /function isGenuine[\s\S]*?\n}/.exec(text)![0])
    expect(own).toBe(shown)
  })
})

async function reach(call: () => Promise<Response>): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (tries > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
