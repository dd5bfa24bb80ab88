/** Finds keys, tokens and webhook secrets in text: by shape, and by value if it is registered. */

/** The secrets of a run: the start of each encoding, and the name of the secret. */
export type Known = Map<string, string>

type Kind = { name: string; prefix: string; rest: RegExp }

const KINDS: Kind[] = [
  { name: 'API key', prefix: 'hca_live_', rest: /[0-9A-Za-z]{6}/ },
  { name: 'webhook secret', prefix: 'whsec_', rest: /[0-9A-Za-z+/%]{6}/ },
  { name: 'operator token', prefix: 'hca_operator_', rest: /[0-9a-f]{6}/ },
]

/** Long enough not to occur by accident, short enough to find a truncated secret. */
const WINDOW = 20
/** Text that can contain a secret, as a regular expression for JavaScript and Postgres. */
export const UNBROKEN = `[A-Za-z0-9_+/=%-]{${WINDOW},}`

const SHAPES = KINDS.map(({ name, prefix, rest }) => {
  const encoded = [...base64Spellings(prefix), ...hexSpellings(prefix)]
  return { name, shape: new RegExp([prefix + rest.source, ...encoded].join('|')) }
})

/** All shapes in one expression, for Postgres. */
export const ANY_SHAPE = SHAPES.map(({ shape }) => shape.source).join('|')

/** Makes `secretsIn` find the value too, with and without its prefix. */
export function learn(known: Known, name: string, value: string): void {
  const prefix = KINDS.find((kind) => value.startsWith(kind.prefix))?.prefix ?? ''
  const core = value.slice(prefix.length)
  const bytes = /^[A-Za-z0-9+/]{43}=$/.test(core) ? atob(core) : ''
  const spellings = [
    core,
    encodeURIComponent(core),
    ...base64Spellings(core),
    ...hexSpellings(core),
    ...base64Spellings(bytes),
    ...hexSpellings(bytes),
  ]
  for (const spelling of spellings) {
    if (spelling.length >= WINDOW) known.set(spelling.slice(0, WINDOW), name)
  }
}

/** Registers the secrets in the Worker's bindings. */
export function learnBindings(known: Known, bindings: Record<string, string>): void {
  learn(known, 'operator token', bindings.OPERATOR_TOKEN!)
  learn(known, 'Redis token', bindings.UPSTASH_REDIS_REST_TOKEN!)
  learn(known, 'database password', new URL(bindings.DATABASE_URL!).password)
  for (const key of bindings.WEBHOOK_KEYS!.split(',')) learn(known, 'webhook key', key.split(':')[1]!)
}

/** The names of the secrets in the text: plain, percent-encoded, in base64 or in hex. */
export function secretsIn(text: string, known: Known = new Map()): string[] {
  const unbroken = new RegExp(UNBROKEN, 'g')
  const found = new Set(SHAPES.filter(({ shape }) => shape.test(text)).map(({ name }) => name))
  if (known.size > 0) {
    // A sitemap names the same URL many times.
    for (const run of new Set(text.match(unbroken))) {
      for (let at = 0; at + WINDOW <= run.length; at++) {
        const name = known.get(run.slice(at, at + WINDOW))
        if (name) found.add(name)
      }
    }
  }
  return [...found]
}

/** The base64 of the text within a longer one, at each of the three offsets in a group. */
function base64Spellings(bytes: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const start = Math.ceil((offset * 8) / 6)
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    const spelling = btoa('\0'.repeat(offset) + bytes).slice(start, end)
    return [spelling, spelling.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function hexSpellings(bytes: string): string[] {
  const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return [hex, hex.toUpperCase()]
}
