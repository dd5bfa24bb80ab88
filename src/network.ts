/** Addresses of the internet, by whose they are. */

const IPV4_MAPPED = '0:0:0:0:0:ffff'

/**
 * What one client has of addresses, in one spelling: an IPv4 address, also when it is written as IPv6, and of IPv6 the
 * /64. What is no IPv6 address stays as it is.
 */
export function networkOf(address: string): string {
  const url = `http://[${address}]/`
  if (!URL.canParse(url)) return address
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  while (groups.length + last.length < 8) groups.push('0')
  groups.push(...last)
  if (groups.slice(0, 6).join(':') === IPV4_MAPPED) return ipv4(groups.slice(6))
  return `${groups.slice(0, 4).join(':')}::/64`
}

function ipv4(groups: string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((pair) => [pair >> 8, pair & 255])
    .join('.')
}
