import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** `rawBody` is the body as it arrived, before any parsing; header names are lowercase in Node. */
export function isGenuine(headers, rawBody, secret) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  const signature = headers['x-service-signature'] ?? ''
  if (!secret || !/^[0-9]{1,12}$/.test(timestamp) || !/^[0-9a-f]{64}$/.test(signature)) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_SECONDS
  return fresh && timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}
