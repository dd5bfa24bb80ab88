import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** `rawBody` is the body as it arrived, before any parsing; header names are lowercase in Node. */
export function isGenuine(headers, rawBody, secret) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const given = Buffer.from(headers['x-service-signature'] ?? '', 'hex')
  const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_SECONDS
  return fresh && given.length === expected.length && timingSafeEqual(given, expected)
}
