const IPV4_MAPPED = '0:0:0:0:0:ffff'

/** The IPv4 address, also when written as IPv6, or the /64 of an IPv6 address. Returns anything else unchanged. */
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
