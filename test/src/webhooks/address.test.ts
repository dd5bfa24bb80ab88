import { describe, expect, it } from 'vitest'
import { validateWebhookUrl } from '../../../src/webhooks/address.ts'

const IP = 'must not be an IP address'
const PRIVATE = 'must not be a local or private name'
const SINGLE = 'must be a fully qualified host name'
const MALFORMED = 'must be a valid host name'
const NO_URL = 'must be an absolute URL of at most 2048 characters'
const SCHEME = 'must use https'
const PORT = 'must use port 443 or 8443'
const USER = 'must not carry a user or a password'

/** A trick, the rule against it, and hosts spelt that way. */
const HOSTS: [string, string, string][] = [
  ['a private IPv4 address', IP, '10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1'],
  ['this machine, all machines, the cloud it is in', IP, '127.0.0.1 0.0.0.0 255.255.255.255 169.254.169.254'],
  ['a public IPv4 address', IP, '1.1.1.1 8.8.8.8:8443'],
  ['one decimal number', IP, '2130706433 2852039166 0'],
  ['octal', IP, '0177.0.0.1 017700000001 0300.0250.1.1'],
  ['hexadecimal', IP, '0x7f.0.0.1 0x7f000001 0XA9FEA9FE 0x7f.0x0.0x0.0x1'],
  ['hexadecimal without digits', IP, '10.0.0.0x 0x'],
  ['several bases at once', IP, '0x7f.1 0xa9.254.0251.254 192.0xa80101'],
  ['short IPv4', IP, '127.1 10.1 192.168.257 172.1048577'],
  ['IPv4 with a trailing dot', IP, '127.0.0.1. 0x7f.1. 10.1.'],
  ['IPv4 in other digits', IP, '１２７.０.０.１ ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 １６９.254.169.254'],
  ['IPv4 with other dots', IP, '127。0。0。1 127．0．0．1 127｡1 10。1｡'],
  ['IPv4, percent-encoded', IP, '%31%32%37.0.0.1 127%2E0%2e0%2E1 %30x7f%2E1'],
  ['IPv6', IP, '[::1] [::] [fc00::1] [fe80::1]:8443 [fd00:ec2::254]'],
  ['IPv4 mapped into IPv6', IP, '[::ffff:127.0.0.1] [::FFFF:7f00:1] [0:0:0:0:0:ffff:a9fe:a9fe]'],
  ['IPv4 within IPv6 otherwise', IP, '[::127.0.0.1] [64:ff9b::10.0.0.1] [2002:7f00:1::]'],
  ['IPv6 with a scope', NO_URL, '[fe80::1%25eth0] [fe80::1%eth0] [::1%1]'],
  ['IPv6 that is none', NO_URL, '[::1 [127.0.0.1] [localhost] ::1'],
  ['a number too large, or with too many parts', NO_URL, '256.1.1.1 4294967296 1.2.3.4.5 name.0x7f'],
  ['two trailing dots', MALFORMED, '127.0.0.1.. router.local.. a..com'],
  ['this machine by name', SINGLE, 'localhost localhost. LOCALHOST:8443 ip6-localhost'],
  [
    'this machine by name, disguised',
    SINGLE,
    'ｌｏｃａｌｈｏｓｔ ⓛocalhost local\u00adhost %6cocalhost localhost。',
  ],
  ['a single label', SINGLE, 'metadata intranet com. bücher xn--bcher-kva'],
  ['a name in one machine', PRIVATE, 'app.localhost a.b.LOCALHOST. x.localdomain'],
  ['a name in one house', PRIVATE, 'router.local PRINTER.LOCAL nas.home.arpa router.lan router.home'],
  ['a name in one company', PRIVATE, 'Wiki.Corp smtp.mail db.private wiki.intranet vpn.internal'],
  ['a name in one cloud', PRIVATE, 'metadata.google.internal host.docker.internal ip-10-0-0-1.ec2.internal'],
  ['a name in one cluster', PRIVATE, 'kubernetes.default.svc api.svc.cluster.local redis.service.consul'],
  ['a private name with a trailing dot', PRIVATE, 'metadata.google.internal. router.local. router.local｡'],
  ['a private name with other dots', PRIVATE, 'metadata.google。internal router．local router｡local'],
  [
    'a private name in other letters',
    PRIVATE,
    'a.ＩＮＴＥＲＮＡＬ a.ⓛocal kubernetes.default.ſvc a.inter\u00adnal',
  ],
  ['a private name, percent-encoded', PRIVATE, 'a.%69nternal a%2Elocal a.loca%6C'],
  ['a private name after punycode', PRIVATE, 'xn--bcher-kva.local bücher.internal'],
  ['a reserved name', PRIVATE, 'a.test a.example a.invalid a.alt abcdefgh.onion 1.0.0.127.in-addr.arpa'],
  ['a name that DNS cannot have', MALFORMED, "-a.acme.com a-.acme.com .acme.com a'b.acme.com *.acme.com"],
  ['a name too long for DNS', MALFORMED, `${'a'.repeat(64)}.com ${'a.'.repeat(126)}com`],
  ['a host that is none', NO_URL, '127.0.0.1%00.acme.com a<b.acme.com a|b.acme.com a^b.acme.com'],
  ['another port', PORT, 'acme.com:80 acme.com:22 acme.com:6379 acme.com:0 acme.com:08080 127.0.0.1:4433'],
  ['a port that is none', NO_URL, 'acme.com:65536 acme.com:443a acme.com:-1 acme.com:８４４３'],
  ['a user', USER, 'user@acme.com user:password@acme.com :password@acme.com 127.0.0.1@acme.com'],
  ['a user that looks like the host', USER, 'acme.com@127.0.0.1 acme.com:443@10.0.0.1 acme.com%2F@127.0.0.1'],
]

/** The same for more than the host. */
const URLS: [string, string, string[]][] = [
  ['white space that is dropped', IP, ['https://127.0.\t0.1/', 'https://12\n7.0.0.1/', ' https://10.1/\r']],
  ['few slashes or many', IP, ['https:127.0.0.1/', 'https:/127.0.0.1/', 'https:////127.0.0.1/']],
  ['slashes the other way', IP, ['https:\\\\127.0.0.1\\', 'https://127.0.0.1\\@acme.com/']],
  ['a user after the end of the host', IP, ['https://127.0.0.1#@acme.com/', 'https://127.0.0.1?@acme.com/']],
  ['unencrypted', SCHEME, ['http://acme.com/', 'HTTP://acme.com:443/', 'ws://acme.com/']],
  ['another protocol', SCHEME, ['ftp://acme.com/', 'file:///etc/passwd', 'gopher://127.0.0.1:6379/_INFO']],
  ['no protocol', SCHEME, ['data:text/plain,a', 'javascript:alert(1)', 'blob:https://acme.com/1']],
  ['relative', NO_URL, ['', 'acme.com', '//acme.com/', '/hooks']],
  ['without a host', NO_URL, ['https://', 'https:///', 'https://:443/', 'https://acme com/']],
  ['too long', NO_URL, [`https://acme.com/${'a'.repeat(2_048)}`]],
]

const REFUSED = [
  ...HOSTS.map(([trick, rule, hosts]) => {
    const urls = hosts.split(' ').map((host) => `https://${host}/`)
    return [trick, rule, urls] as const
  }),
  ...URLS,
]

const ALLOWED = [
  'https://acme.com',
  'https://acme.com./in',
  'HTTPS://Hooks.ACME.com/In',
  'https://acme.com:443/',
  'https://acme.com:0443/',
  'https://acme.com:8443/',
  'https://acme.com:/',
  'https://bücher.acme.com/',
  'https://xn--bcher-kva.acme.com/',
  'https://hooks。acme。com/',
  'https://my_hooks.acme.com/',
  'https://163.com/',
  'https://0x7f.acme.com/',
  'https://127.0.0.1.acme.com/',
  'https://localhost.acme.com/',
  'https://internal.acme.com/',
  'https://acme.homes/',
  'https://thelocal.com/',
  'https://acme.com/?to=http://127.0.0.1/',
  'https://acme.com/@127.0.0.1',
  'https://acme.com#@127.0.0.1',
  'https://acme.com\\@127.0.0.1/',
  `https://${'a'.repeat(63)}.com/`,
  `https://acme.com/${'a'.repeat(2_031)}`,
]

const LOOPBACK = [
  'http://127.0.0.1:9000/hooks',
  'https://127.0.0.1:9000/hooks',
  'http://127.255.255.254/',
  'http://127.1:9000/',
  'http://0x7f000001/',
  'http://localhost:9000/',
  'http://LOCALHOST./',
  'http://[::1]:9000/',
  'http://[0:0:0:0:0:0:0:1]/',
]

const NOT_LOOPBACK: [string, string][] = [
  ['http://0.0.0.0:9000/', SCHEME],
  ['http://10.0.0.1/', SCHEME],
  ['http://128.0.0.1/', SCHEME],
  ['http://[::ffff:127.0.0.1]/', SCHEME],
  ['http://app.localhost/', SCHEME],
  ['http://localhost.acme.com/', SCHEME],
  ['http://127.0.0.1.acme.com/', SCHEME],
  ['ftp://127.0.0.1/', SCHEME],
  ['http://user@127.0.0.1/', USER],
  ['http://127.0.0.1@acme.com/', USER],
]

const shown = (url: string) => [JSON.stringify(url).slice(0, 60), url] as const

describe.each(REFUSED)('%s', (_, rule, urls) => {
  it.each(urls.map(shown))(`%s ${rule}`, (_, url) => {
    expect(validateWebhookUrl(url, { allowLoopback: false })).toBe(rule)
  })
})

describe('a public host', () => {
  it.each(ALLOWED.map(shown))('%s is allowed', (_, url) => {
    for (const allowLoopback of [false, true]) expect(validateWebhookUrl(url, { allowLoopback })).toBeNull()
  })
})

describe('loopback', () => {
  it.each(LOOPBACK)('%s is only allowed by the development switch', (url) => {
    expect(validateWebhookUrl(url, { allowLoopback: true })).toBeNull()
    expect(validateWebhookUrl(url, { allowLoopback: false })).not.toBeNull()
  })

  it.each(NOT_LOOPBACK)('%s is not allowed by the switch either: it %s', (url, rule) => {
    expect(validateWebhookUrl(url, { allowLoopback: true })).toBe(rule)
  })
})
