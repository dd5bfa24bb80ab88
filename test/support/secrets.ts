/** Finds keys, tokens and webhook secrets in text: by shape, and by value if it is registered. */

type Kind = { name: string; prefix: string; rest: RegExp }

const KINDS: Kind[] = [
  { name: 'API key', prefix: 'hca_live_', rest: /[0-9A-Za-z]{6}/ },
  { name: 'webhook secret', prefix: 'whsec_', rest: /[0-9A-Za-z+/%]{6}/ },
  { name: 'operator token', prefix: 'hca_operator_', rest: /[0-9a-f]{6}/ },
  { name: 'preview token', prefix: 'hca_preview_', rest: /[0-9A-Za-z]{6}/ },
]

/** Long enough not to occur by accident, short enough to find a truncated secret. */
const WINDOW = 20
const LETTER_BITS = 6
/** Text that can contain a secret, as a regular expression for JavaScript and Postgres. */
export const UNBROKEN = `[A-Za-z0-9_+/=%-]{${WINDOW},}`

const SHAPES = KINDS.map(({ name, prefix, rest }) => {
  const encoded = [...base64Spellings(prefix), ...hexSpellings(prefix)]
  return { name, shape: new RegExp([prefix + rest.source, ...encoded].join('|')) }
})

/** All shapes in one expression, for Postgres. */
export const ANY_SHAPE = SHAPES.map(({ shape }) => shape.source).join('|')

/** The secrets of a run. */
export class Known {
  /** By the start of each of their spellings. */
  private readonly names = new Map<string, string>()
  /** The last four letters of these starts, which are looked up first: text may be megabytes long. */
  private readonly ends = new Uint8Array(2 ** (4 * LETTER_BITS))

  add(spelling: string, name: string): void {
    if (spelling.length < WINDOW) return
    const start = spelling.slice(0, WINDOW)
    this.names.set(start, name)
    this.ends[[...start].reduce(endAfter, 0)] = 1
  }

  /** The names of the secrets in a run of letters. */
  *in(run: string): Generator<string> {
    for (let at = 0, end = 0; at < run.length; at++) {
      end = endAfter(end, run[at]!)
      const name = this.ends[end] && this.names.get(run.slice(Math.max(0, at + 1 - WINDOW), at + 1))
      if (name) yield name
    }
  }
}

/** Some bits of each of the last four letters. */
function endAfter(end: number, letter: string): number {
  const bits = letter.charCodeAt(0) % 2 ** LETTER_BITS
  return (end * 2 ** LETTER_BITS + bits) % 2 ** (4 * LETTER_BITS)
}

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
  for (const spelling of spellings) known.add(spelling, name)
}

/** Registers the secrets in the Worker's bindings. */
export function learnBindings(known: Known, bindings: Record<string, string>): void {
  learn(known, 'operator token', bindings.OPERATOR_TOKEN!)
  learn(known, 'Redis token', bindings.UPSTASH_REDIS_REST_TOKEN!)
  learn(known, 'database password', new URL(bindings.DATABASE_URL!).password)
  for (const key of bindings.WEBHOOK_KEYS!.split(',')) learn(known, 'webhook key', key.split(':')[1]!)
}

/** The names of the secrets in the text: plain, percent-encoded, in base64 or in hex. */
export function secretsIn(text: string, known?: Known): string[] {
  const unbroken = new RegExp(UNBROKEN, 'g')
  const found = new Set(SHAPES.filter(({ shape }) => shape.test(text)).map(({ name }) => name))
  if (known) {
    // A sitemap names the same URL many times.
    for (const run of new Set(text.match(unbroken))) {
      for (const name of known.in(run)) found.add(name)
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
