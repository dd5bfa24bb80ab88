/** Texts and JSON values that once broke something. */
import fc from 'fast-check'
import { inject } from 'vitest'

/** PGlite drops it at the start of a value; a server does not. */
const BOM = inject('server') === null ? 'a\ufeff' : '\ufeff'

export const words = (text: string) => text.split(' ')

const SQL = [...words(`' '' " \\ % _ %_% \\% $1 $$ /*`), "' or 1=1 --", "'); drop table posts; --"]
const MARKUP = words('<b </urlset> ]]> & &amp;#0; &#0; &#xD800; <![CDATA[ <!-- <p>a</b></p> {{7*7}}')
const URLS = [' ', ...words('. .. ../.. / // ? # a?b#c &a=1 + %00 %2F %2e%2e %25 %2500')]
const MALFORMED = words('% %zz %FF %ED%A0%80 %F0%9F %C0%AF %u0041')
const UNICODE = [BOM, '\u2028', ...words('İ ẞ ΐ ﬃ ς e\u0301 \u202e \uffff \u{10ffff} 👩‍👩‍👧‍👦 字 नि ١')]
const CONTROLS = words('\x01 \x1f \x7f \x85 \t \n \r\n')
const NAMES = ['', ...words('null undefined true [] {} __proto__ constructor toString hasOwnProperty')]
const NUMERALS = [' 1', '1 ', ...words('0 -1 -0 +1 01 1.5 1e3 0x10 NaN Infinity 1_0 ١ 1,2')]
const HEADERS = ['', ...words(`* " W/ \t \x01 \x7f , ; = '-- %00 a,b null`)]
const LENGTHS = [35, 36, 200, 201, 500, 501, 1_200, 2_000, 2_001, 2_048, 2_049]
const QUERY_BYTES = 64 * 1024

const pieces = fc.constantFrom(...SQL, ...MARKUP, ...URLS, ...MALFORMED, ...UNICODE, ...CONTROLS, ...NAMES)
const units = fc.constantFrom('x', 'ab ', '%', '_', '\\', 'ΐ', '字', '👩', '<b>', '..', '%41')

const long = fc
  .tuple(units, fc.constantFrom(...LENGTHS))
  .map(([unit, length]) => unit.repeat(length / unit.length))
const huge = units.map((unit) => unit.repeat(QUERY_BYTES / unit.length))

/** The second one, with a chance of one in `rarity`. */
export function mostly<Usual, Odd>(rarity: number, usual: fc.Arbitrary<Usual>, odd: fc.Arbitrary<Odd>) {
  return fc.oneof({ weight: rarity - 1, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

/** Any text that can be stored: hostile, but well-formed Unicode without NUL. */
export const storable: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: pieces },
  { weight: 4, arbitrary: fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 1, arbitrary: long },
)

const unstorable = fc
  .tuple(storable, fc.constantFrom('\0', '\ud800', '\udc00', '\udfff\ud800'), storable)
  .map((parts) => parts.join(''))

export const hostile = fc.oneof(
  { weight: 60, arbitrary: storable },
  { weight: 10, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 20, arbitrary: unstorable },
  { weight: 2, arbitrary: huge },
)

/** Numbers as they appear in a query. */
export const numerals = fc.oneof(
  fc.constantFrom(...NUMERALS),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc
    .constantFrom(31, 32, 53, 63, 64)
    .chain((bits) => fc.constantFrom(-1n, 0n, 1n).map((by) => String(2n ** BigInt(bits) + by))),
  fc.nat(400).map((length) => '9'.repeat(length)),
)

const numbers = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 101, 2 ** 31, 2 ** 53, 1e20, 1e21, 1e-15, 1e-16, 1.7e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)

/** Nested up to the limit of 64 levels and a little beyond. */
const deep = fc
  .tuple(fc.integer({ min: 55, max: 70 }), fc.boolean())
  .map(([levels, asObject]) =>
    Array.from({ length: levels }).reduce<unknown>((inner) => (asObject ? { a: inner } : [inner]), 1),
  )

const poisoned = fc
  .constantFrom(
    ...words(`{"__proto__":{"a":1}} {"constructor":{"prototype":1}} {"toJSON":1} {"\\u0000":1} {"":{"":[]}}`),
  )
  .map((text): unknown => JSON.parse(text))

export const jsonValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], { a: null }) },
  { weight: 6, arbitrary: numbers },
  { weight: 8, arbitrary: hostile },
  { weight: 4, arbitrary: fc.dictionary(storable, fc.oneof(storable, numbers), { maxKeys: 3 }) },
  { weight: 4, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: poisoned },
)

/** Characters of header values: the runtime rejects non-ASCII ones. */
export const headerTexts = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 60 }) },
  { weight: 20, arbitrary: fc.constantFrom(...HEADERS) },
  { weight: 1, arbitrary: fc.constantFrom(255, 256, 8_192, 65_536).map((length) => 'x'.repeat(length)) },
)
