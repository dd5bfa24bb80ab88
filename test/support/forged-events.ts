/** Events whose id or timestamp has an invalid form, which a receiver refuses even with a valid signature. */
import { createHmac } from 'node:crypto'

/** The headers of Standard Webhooks, correctly signed. */
export function signed(secret: string, id: string, timestamp: string, body: string) {
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac.update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  }
}

/** @param now Unix seconds @returns pairs of an id and a timestamp */
export function malformedForms(now: string): [id: string, timestamp: string][] {
  const ids = ['..', '.', '../other', 'a/b', '/tmp/x', 'a.b', 'a b', '$(id)', 'ü', '%2e%2e', 'a\\b']
  const timestamps = [
    ...[`+${now}`, `${now}.0`, `${now}e0`, `0x${Number(now).toString(16)}`, `00${now}0`, '¹²³'],
    ...[
      `${now[0]}_${now.slice(1)}`,
      `${now},${now}`,
      `${now}+0`,
      'now',
      'EPOCHSECONDS',
      '-1',
      '0'.repeat(13),
    ],
  ]
  return [
    ...ids.map((id): [string, string] => [id, now]),
    ...timestamps.map((timestamp): [string, string] => ['an-id', timestamp]),
  ]
}
