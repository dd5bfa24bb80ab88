import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** `rawBody` is the body as it arrived, before any parsing; header names are lowercase in Node. */
export function isGenuine(headers, rawBody, secret) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  const signature = headers['x-service-signature'] ?? ''
  if (!secret || !/^[0-9]{1,12}$/.test(timestamp)) return false
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  const signed = createHmac('sha256', secret).update(`${timestamp}.`)
  const expected = signed.update(rawBody).digest()
  const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_SECONDS
  return fresh && timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}
