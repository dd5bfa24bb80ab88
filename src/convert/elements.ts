/** Elements of a body: GitHub's list, plus harmless HTML and MathML. None runs code or loads documents. */
import { defaultSchema } from 'rehype-sanitize'
import { ALERT_KINDS } from './alerts.ts'
import { type TreeNode, walk } from './tree.ts'

const STRUCTURE =
  'abbr address article aside bdi bdo caption cite center col colgroup dfn figcaption figure footer header main mark nav small time u wbr'
const MEDIA = 'audio picture source track video'
const MATH = `math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt
mstyle msub msubsup msup mtable mtd mtext mtr munder munderover`
const UNRENDERED = `acronym annotation annotation-xml applet area base basefont bgsound big blink body button canvas data datalist dialog dir
embed fieldset font form frame frameset head hgroup html iframe image input keygen label legend link listing map marquee
menu menuitem meta meter nobr noembed noframes noscript object optgroup option output param progress rb rtc script select
semantics slot style svg template textarea title`

const words = (text: string) => text.split(/\s+/)
const allowed = new Set([
  ...(defaultSchema.tagNames ?? []),
  ...words(STRUCTURE),
  ...words(MEDIA),
  ...words(MATH),
])
const knownTags = new Set([...allowed, ...words(UNRENDERED)])

// Removed with their content.
const EMBEDS = new Set(['applet', 'canvas', 'embed', 'frame', 'iframe', 'object', 'svg'])
const STRIPPED = ['script', 'style', 'title', 'template', 'noembed', 'noframes', 'textarea', ...EMBEDS]
/** If one of these is not closed, an HTML parser takes all the rest as its content. */
const HIDING = new Set([...STRIPPED, 'plaintext', 'select', 'xmp'])
const REPORTED = new Set([...STRIPPED, 'base', 'button', 'form', 'link', 'meta', 'select'])

const ALIGNMENT = /^(?:align(?:center|full|left|none|right|wide)|has-text-align-(?:center|left|right))$/

export function isHtmlElement(name: string): boolean {
  return knownTags.has(name)
}

export const bodySchema: typeof defaultSchema = {
  ...defaultSchema,
  tagNames: [...allowed],
  attributes: {
    ...defaultSchema.attributes,
    video: ['src', 'poster', 'controls', 'loop', 'muted', 'playsInline', 'preload'],
    audio: ['src', 'controls', 'loop', 'muted', 'preload'],
    source: ['src', 'srcSet', 'type', 'sizes'],
    track: ['src', 'kind', 'srcLang', 'default'],
    img: [...(defaultSchema.attributes?.img ?? []), 'srcSet', 'sizes', 'loading'],
    aside: [['className', ...ALERT_KINDS]],
    a: [...(defaultSchema.attributes?.a ?? []), 'download', ['target', '_blank']],
    ol: [...(defaultSchema.attributes?.ol ?? []), 'reversed'],
    '*': [...(defaultSchema.attributes?.['*'] ?? []), ['className', ALIGNMENT]],
    math: ['display'],
    mo: ['stretchy', 'fence', 'form', 'lspace', 'rspace', 'separator', 'minsize', 'maxsize', 'movablelimits'],
    mi: ['mathvariant'],
    mtable: ['columnalign', 'rowspacing', 'columnspacing', 'displaystyle'],
    mstyle: ['displaystyle', 'scriptlevel', 'mathvariant'],
    munder: ['accentunder'],
    mover: ['accent'],
  },
  // In-page links must find their targets.
  clobberPrefix: '',
  protocols: { ...defaultSchema.protocols, src: ['http', 'https', 'data'], poster: ['http', 'https'] },
  strip: STRIPPED,
}

/** Runs after the schema, which leaves an empty attribute when it removes classes. */
export function dropEmptyClasses() {
  return (tree: TreeNode): void => {
    walk(tree, ({ properties }) => {
      const classes = properties?.className
      if (Array.isArray(classes) && classes.length === 0) delete properties?.className
    })
  }
}

export function lossOf(name: string): {
  reason: 'left out' | 'left out, but its text is kept'
  detail: string
} {
  const isCode = name.includes('{')
  const isGone = isCode || name === 'input' || STRIPPED.includes(name.toLowerCase())
  return {
    reason: isGone ? 'left out' : 'left out, but its text is kept',
    detail: isCode ? name : `<${name}>`,
  }
}

/** Elements of HTML that a body must not have, and whose removal is worth a report. */
export function isReported(name: string): boolean {
  return REPORTED.has(name)
}

/** Tags to report: embeds, and unknown ones, for example components or a `<placeholder>` meant as text. */
export function unrenderedTags(html: string): string[] {
  const names = [...html.replace(/<!--[\s\S]*?(?:-->|$)/g, '').matchAll(/<([A-Za-z][^\s/>]*)/g)].map(
    (m) => m[1] ?? '',
  )
  return names.filter((name) => isReported(name.toLowerCase()) || !isTag(name))
}

export function isAllowed(name: string): boolean {
  return allowed.has(name)
}

/** True if markup in the element is not shown as such. Expects lower case. */
export function hides(name: string): boolean {
  return HIDING.has(name)
}

/** True if the name, in its exact spelling, was meant as HTML. */
export function isTag(name: string): boolean {
  if (knownTags.has(name)) return true
  const lower = name.toLowerCase()
  // `<Link>` and `<Button>` are components, although HTML has these names.
  return name === name.toUpperCase() ? knownTags.has(lower) : allowed.has(lower)
}
