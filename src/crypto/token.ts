/** Random tokens with a checksum, so that a mistyped one is refused without any I/O. */

const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORMAT = new RegExp(`^[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** Cloudflare masks parts of logged URLs that have two of each. */
const HAS_TWO_OF_EACH = /^(?=(?:.*\d){2})(?=(?:.*[A-Z]){2})(?=(?:.*[a-z]){2})/

/** The prefix, 32 random base62 characters, and a six-character CRC32 of both. */
export function generateToken(prefix: string): string {
  const body = prefix + randomSecret()
  return body + checksum(body)
}

function randomSecret(): string {
  const characters: string[] = []
  while (characters.length < SECRET_LENGTH) {
    // 248 is the largest multiple of 62 in a byte. Larger bytes would make the first characters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(SECRET_LENGTH))) {
      if (byte < 248 && characters.length < SECRET_LENGTH) characters.push(BASE62[byte % 62]!)
    }
  }
  const secret = characters.join('')
  return HAS_TWO_OF_EACH.test(secret) ? secret : randomSecret()
}

export function isTokenWellFormed(prefix: string, token: string): boolean {
  return (
    token.startsWith(prefix) &&
    FORMAT.test(token.slice(prefix.length)) &&
    token.endsWith(checksum(token.slice(0, -CHECKSUM_LENGTH)))
  )
}

/** CRC32 (IEEE 802.3) as six base62 digits, most significant first. */
function checksum(text: string): string {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
