/** Replaces values that differ from run to run: ids, times, secrets, addresses. */

const RECORDED_AT = Date.parse('2026-11-21T03:28:00.123Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Does not look like a real one, so that no search for secrets finds it. */
const KEY = 'hca_live_...wXyZ'
const OPERATOR_TOKEN = 'hca_operator_...wXyZ'
const PREVIEW_TOKEN = 'hca_preview_...wXyZ'
const LINK_TOKEN = 'hca_link_...wXyZ'
const SECRET = 'whsec_...'
const SITEMAP_ID = 'k3Vb7Qm2Xt9Lr5Nd8Wc4Zh6Jp1Fs0Gy'

export function createMask(addresses: Record<string, string>) {
  const started = Date.now()
  const ids = new Map<string, string>()

  function idOf(id: string): string {
    if (/^0{8}-/.test(id)) return id
    const number = String(ids.size + 1).padStart(4, '0')
    const known = ids.get(id) ?? `6e2d${number}-54c1-4b0e-9d3f-8a1c2b3d${number}`
    ids.set(id, known)
    return known
  }

  /** The time of the recording to the hour, also of expiries; a time from a request is kept. */
  function timeOf(at: number): number {
    const passed = at - started
    return passed < -2 * DAY_MS || passed > 366 * DAY_MS
      ? at
      : RECORDED_AT + Math.round(passed / HOUR_MS) * HOUR_MS
  }

  return (text: string): string =>
    Object.entries(addresses)
      .reduce((masked, [from, to]) => masked.replaceAll(from, to), text)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, idOf)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (at) =>
        new Date(timeOf(Date.parse(at))).toISOString(),
      )
      .replaceAll(/(?<!\d)1[78]\d{11}(?!\d)/g, (at) => String(timeOf(Number(at))))
      .replaceAll(/hca_live_\w{38}/g, KEY)
      .replaceAll(/hca_operator_\w{38}/g, OPERATOR_TOKEN)
      .replaceAll(/hca_preview_\w{38}/g, PREVIEW_TOKEN)
      .replaceAll(/hca_link_\w{38}/g, LINK_TOKEN)
      .replaceAll(/("lastFour":")\w{4}/g, `$1${KEY.slice(-4)}`)
      .replaceAll(/whsec_[\w+/]{43}=/g, SECRET)
      .replaceAll(/(\/sitemaps\/)\w+/g, `$1${SITEMAP_ID}`)
      .replaceAll(/("cursor":")[^"]+/g, '$1mhr0tby3-mhr0tby3-0a1b2c3d')
      .replaceAll(/("durationMs":)\d+/g, '$142')
      .replaceAll(/("date":")[^"]+/g, '$1Sat, 21 Nov 2026 03:28:00 GMT')
      // Encrypted cursors.
      .replaceAll(/("next":")[\w-]+\.[\w-]{16}\.[\w-]+(?=")/g, '$1k1.c2VhbGVkY3Vyc29y.b2YgdGhpcyBsaXN0')
}
