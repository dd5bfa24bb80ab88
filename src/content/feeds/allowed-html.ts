/** The HTML that a feed keeps: GitHub's list (the default of hast-util-sanitize), figures, media, players, MathML and SVG. */
import { wordSet } from '../../html/nesting.ts'

/** Other elements lose their tags and keep their text. */
export const ELEMENTS = wordSet(`
  a abbr acronym address area article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd del
  details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img input ins kbd label li
  main map mark meter nav ol p picture pre progress q rb rp rt rtc ruby s samp search section small source span strike strong
  sub summary sup table tbody td tfoot th thead time tr track tt u ul var video wbr
  annotation annotation-xml maction math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot
  mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics
  circle clippath defs desc ellipse g image line lineargradient marker path pattern polygon polyline radialgradient rect stop
  svg symbol text textpath tspan`)

/** Left out with their content: code, or text that parsers disagree on. */
export const LEFT_OUT_WHOLE = wordSet('script style template title textarea xmp noembed noframes plaintext')

/** URLs have their own list. */
const ATTRIBUTES = wordSet(`
  abbr align allow allowfullscreen alt aria-describedby aria-details aria-hidden aria-label aria-labelledby aria-level
  autoplay axis bgcolor border cellpadding cellspacing char charoff checked class clear color cols colspan compact controls
  controlslist coords crossorigin datetime decoding default dir disabled disablepictureinpicture download face fetchpriority
  for frame frameborder headers height high hreflang hspace id ismap itemprop itemscope itemtype kind label lang loading loop
  low marginheight marginwidth max media min muted name noshade nowrap open optimum playsinline preload referrerpolicy rel rev
  reversed role rowspan rules sandbox scope scrolling shape size sizes span srclang start summary tabindex target title
  translate type usemap valign value vspace width xml:lang xmlns
  accent accentunder columnalign columnlines columnspacing columnspan depth display displaystyle encoding fence fontstyle
  fontweight framespacing largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize
  minsize movablelimits notation rowalign rowlines rowspacing rspace scriptlevel separator separators stretchy subscriptshift
  superscriptshift symmetric voffset
  clip-path clip-rule clippathunits cx cy d dominant-baseline dx dy fill fill-opacity fill-rule focusable font-family
  font-size font-style font-weight fx fy gradienttransform gradientunits letter-spacing marker-end marker-mid marker-start
  markerheight markerunits markerwidth offset opacity orient patterncontentunits patterntransform patternunits points
  preserveaspectratio r refx refy rotate rx ry spreadmethod startoffset stop-color stop-opacity stroke stroke-dasharray
  stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor textlength
  transform version viewbox x x1 x2 xml:space xmlns:xlink y y1 y2`)

/** Only `mo` keeps `form`, because on an input it would attach to a form of the feed reader's page. */
const ATTRIBUTES_OF: Record<string, ReadonlySet<string>> = { mo: wordSet('form') }

export function isAllowedAttribute(element: string, attribute: string): boolean {
  return ATTRIBUTES.has(attribute) || Boolean(ATTRIBUTES_OF[element]?.has(attribute))
}

export type Schemes = ReadonlySet<string>

const FILES: Schemes = new Set(['http:', 'https:'])
export const PICTURES: Schemes = new Set([...FILES, 'data:'])
export const LINKS: Schemes = new Set([...FILES, 'mailto:', 'tel:'])

const PICTURE_ELEMENTS = wordSet('image img source')
const ADDRESSES: Record<string, Schemes> = {
  href: LINKS,
  'xlink:href': LINKS,
  src: FILES,
  poster: FILES,
  cite: FILES,
  longdesc: FILES,
}

/** Undefined if the attribute is not a URL. */
export function schemesOf(element: string, attribute: string): Schemes | undefined {
  const schemes = ADDRESSES[attribute]
  return schemes && PICTURE_ELEMENTS.has(element) ? PICTURES : schemes
}
