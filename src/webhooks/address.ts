/** The SSRF guard: which URLs a webhook may have. Checked when it is set and again before each POST. */

const PORTS = new Set(['', '443', '8443'])

/** Private and special-use names (RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal and .mail). */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|mail|lan|arpa|onion|test|example|invalid|alt|svc|consul|i2p)$/

/** Returns the rule that a URL breaks, or null. `new URL` first normalises every spelling of an IP address and of a dot. */
export function validateWebhookUrl(text: string, options: { allowLoopback: boolean }): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || text.length > 2_048) return 'must be an absolute URL of at most 2048 characters'
  const host = url.hostname.replace(/\.$/, '')
  if (url.username || url.password) return 'must not carry a user or a password'
  if (options.allowLoopback && isLoopback(host) && /^https?:$/.test(url.protocol)) return null
  if (url.protocol !== 'https:') return 'must use https'
  if (!PORTS.has(url.port)) return 'must use port 443 or 8443'
  if (host.startsWith('[') || /(^|\.)\d+$/.test(host)) return 'must not be an IP address'
  if (!host.includes('.')) return 'must be a fully qualified host name'
  if (PRIVATE_NAME.test(host)) return 'must not be a local or private name'
  if (host.length > 253 || !host.split('.').every(isLabel)) return 'must be a valid host name'
  return null
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

function isLabel(label: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)
}
