import { describe, expect, it } from 'vitest'
import { readTargets, reencryptAlertTargets } from '../../../src/alerts/settings.ts'
import type { Context } from '../../../src/context.ts'
import { decrypt, encrypt } from '../../../src/crypto/encryption.ts'
import { ALERT_SETTINGS_ID } from '../../../src/db/schema.ts'

const URL = 'https://hooks.slack.com/services/secret'
const key = (id: string) => ({ id, bytes: crypto.getRandomValues(new Uint8Array(32)) })
const [OLD, NEW] = [key('old'), key('new')]

/** A row with the URL under the old key, read by a Worker with these keys. */
async function world(...keys: ReturnType<typeof key>[]) {
  const encrypted = await encrypt({ WEBHOOK_KEYS: [OLD] } as Context['config'], ALERT_SETTINGS_ID, URL)
  const row = { slackUrl: encrypted, emailTo: null } as Parameters<typeof readTargets>[1] & object
  const [logged, written]: [string[], string[]] = [[], []]
  const set = ({ slackUrl }: { slackUrl: string }) => {
    written.push(slackUrl)
    return { where: async () => ({ rowCount: 1 }) }
  }
  const ctx = {
    config: { WEBHOOK_KEYS: keys, ALERT_SLACK_URL: 'https://env.example.com/' },
    db: { select: () => ({ from: async () => [row] }), update: () => ({ set }) },
    log: (event: string) => logged.push(event),
  } as unknown as Context
  return { ctx, row, logged, written }
}

describe('the Slack URL of the console', () => {
  it('is encrypted anew with the newest of WEBHOOK_KEYS, so that the old one can be removed', async () => {
    const { ctx, written } = await world(NEW, OLD)
    expect(await reencryptAlertTargets(ctx)).toBe(1)
    const { config } = (await world(NEW)).ctx
    expect(await decrypt(config, ALERT_SETTINGS_ID, written[0]!)).toBe(URL)
  })

  it('is not encrypted again while its key is the newest', async () => {
    const { ctx, written } = await world(OLD, NEW)
    expect([await reencryptAlertTargets(ctx), written]).toEqual([0, []])
  })

  it('is logged and skipped when its key is gone, and not replaced by that of the environment', async () => {
    const { ctx, row, logged, written } = await world(NEW)
    expect((await readTargets(ctx, row)).slackUrl).toBeNull()
    expect([await reencryptAlertTargets(ctx), written]).toEqual([0, []])
    expect(logged).toEqual(['alert.target_undecryptable', 'alert.target_undecryptable'])
  })
})
