/** Paths in redirects: decoded, in NFC, with single slashes and none at the end. */

/** Fits the longest slug, percent-encoded, in the longest path of a site. */
const MAX_PATH_LENGTH = 1_500
const MAX_TARGET_LENGTH = 2_000

type Problem = { path?: never; problem: string }
type Read = { path: string; problem?: never } | Problem
type Target = { path: string; suffix: string | null; problem?: never } | Problem

/** Takes a path or a URL of `domain`, in any encoding. */
export function readSitePath(address: string, domain: string): Read {
  if (address.trim() === '') return { problem: 'is required' }
  const isAddress = /^(?:\/|https?:\/\/)/i.test(address)
  const url = isAddress ? URL.parse(address, `https://${domain}`) : null
  if (url?.hostname !== domain)
    return { problem: `must be a path that begins with one "/", or a URL of ${domain}` }
  if (/[?#]/.test(address)) return { problem: 'must have neither a query nor a fragment' }
  const decoded = decode(url.pathname)
  if (decoded === null) return { problem: 'must be percent-encoded UTF-8' }
  if (/\p{Cc}|["\\]/u.test(decoded))
    return { problem: 'must not contain control characters, quotes or backslashes' }
  const path = decoded
    .normalize('NFC')
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '')
  if (/\/\.{1,2}(?:\/|$)/.test(path)) return { problem: 'must have no "." or ".." between slashes' }
  if (hrefOfPath(path).length > MAX_PATH_LENGTH)
    return { problem: `must be at most ${MAX_PATH_LENGTH} characters when percent-encoded` }
  return { path }
}

/** The path starts with a slash, or is the URL of another host. `suffix` is the query and fragment after a path. */
export function readTarget(address: string, domain: string): Target {
  if (address.trim() === '') return { problem: 'is required' }
  const isPath = /^\/(?![/\\])/.test(address)
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null
  if (!isPath && !url) return { problem: 'must be a path that begins with one "/", or an http or https URL' }
  if (!url || url.hostname === domain) {
    const [, before = '', behind = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? []
    const read = readSitePath(before, domain)
    if (read.path === undefined) return read
    const suffix = hrefOfSuffix(behind)
    if (hrefOfPath(read.path).length + suffix.length <= MAX_TARGET_LENGTH)
      return { path: read.path, suffix: suffix || null }
    return { problem: `must be at most ${MAX_TARGET_LENGTH} characters when percent-encoded` }
  }
  if (url.username || url.password) return { problem: 'must not contain a user name or password' }
  const path = url.href.replaceAll('\\', '%5C')
  return path.length <= MAX_TARGET_LENGTH
    ? { path, suffix: null }
    : { problem: `must be at most ${MAX_TARGET_LENGTH} characters when percent-encoded` }
}

/** As browsers send it. */
export function hrefOfPath(path: string): string {
  return new URL(`https://a${path.replace(/[%?#\s]/g, encodeURIComponent)}`).pathname
}

function hrefOfSuffix(suffix: string): string {
  const { search, hash } = new URL(`https://a/${suffix}`)
  return (search + hash).replaceAll('\\', '%5C')
}

export const hrefOf = (target: string) => (target.startsWith('/') ? hrefOfPath(target) : target)

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
