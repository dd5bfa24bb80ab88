/** Reduces HTML to what readers see: removes hidden parts and copies, and sets the addresses of lazy media. */
import { type Attributes, isAriaHidden, isDuplicate, isHidden, isKatexHtml } from '../html/hidden.ts'
import { addressOf, isMedia, isPixel, isPlaceholder, loadLazy } from './lazy.ts'
import { replaceNodes, type TreeNode, walk } from './tree.ts'

const WORDS = /[\p{L}\p{M}\p{N}]+/gu
const MAX_SHOWN_LENGTH = 60
/** The schema removes and reports these. */
const CODE = new Set(['script', 'style', 'template'])
const WRAPPERS = new Set(['semantics', 'mjx-container', 'mjx-assistive-mml'])
const HEADING = /^(?:h[1-6]|summary)$/
const FOOTNOTE_LABEL = 'footnote-label'

/** @returns removed content that is nowhere else, as text for the report */
export function removeHidden(tree: TreeNode): string[] {
  const gone: TreeNode[] = []
  replaceNodes(tree, (node) => {
    if (!node.tagName || CODE.has(node.tagName)) return [node]
    if (HEADING.test(node.tagName)) unwrapButtons(node)
    dropFormulaCopies(node)
    const isLazy = loadLazy(node)
    const attribute = attributesOf(node)
    if (isDuplicate(node.tagName, attribute)) return []
    if (!isLazy && isLeftOut(node, attribute)) {
      gone.push(node)
      return []
    }
    if (WRAPPERS.has(node.tagName)) return node.children ?? []
    const isWordless = node.tagName === 'button' && !hasMedia(node) && wordsOf(node) === ''
    return isWordless ? [] : [node]
  })
  showFallbacks(tree, gone)
  return namesOf(gone, tree)
}

/** @returns removed images whose text is nowhere else, for the report */
export function dropEmptyImages(tree: TreeNode): string[] {
  const gone: TreeNode[] = []
  replaceNodes(tree, (node) => {
    const { tagName, properties = {} } = node
    const has = (name: string) => typeof properties[name] === 'string' && properties[name].trim() !== ''
    if (tagName === 'source') return has('src') || has('srcSet') ? [node] : []
    if (tagName !== 'img' || has('src') || has('srcSet')) return [node]
    gone.push(node)
    return []
  })
  const shown = ` ${wordsOf(tree)} `
  return gone
    .map((node) => wordsOf({ type: 'root', children: [node] }))
    .filter((words) => words !== '' && !shown.includes(` ${words} `))
    .map((words) => `image without an address (${short(words)})`)
}

function isLeftOut(node: TreeNode, attribute: Attributes): boolean {
  const name = node.tagName ?? ''
  if (node.properties?.id === FOOTNOTE_LABEL || isKatexHtml(attribute) || !isHidden(name, attribute))
    return false
  // Readers see an image that is hidden only from screen readers.
  const others: Attributes = (each) => (each === 'aria-hidden' ? undefined : attribute(each))
  return !(isAriaHidden(attribute) && hasMedia(node) && !isHidden(name, others))
}

/** In an accordion, the heading contains a button. */
function unwrapButtons(heading: TreeNode): void {
  heading.children =
    heading.children?.flatMap((each) => (each.tagName === 'button' ? (each.children ?? []) : [each])) ?? []
}

function dropFormulaCopies(node: TreeNode): void {
  const isCopyOfFormula = (each: TreeNode) => isKatexHtml(attributesOf(each))
  if (!node.children?.some(isCopyOfFormula) || !has(node, ({ tagName }) => tagName === 'math')) return
  node.children = node.children.filter((each) => !isCopyOfFormula(each))
}

/** Keeps a `noscript` if its media are nowhere else. */
function showFallbacks(tree: TreeNode, gone: TreeNode[]): void {
  const shown = new Set<string>()
  const fallbacks = new Set<TreeNode>()
  walk(tree, (node) => {
    if (node.tagName === 'noscript') walk(node, (each) => fallbacks.add(each))
    if (isMedia(node) && !fallbacks.has(node)) shown.add(addressOf(node))
  })
  const isNeeded = (node: TreeNode) =>
    has(node, (each) => isMedia(each) && !isPixel(each) && !shown.has(addressOf(each)))
  const replaced = new Set<TreeNode>()
  walk(tree, ({ children = [] }) => {
    const elements = children.filter((each) => each.type !== 'text' || each.value?.trim())
    for (const [at, each] of elements.entries()) {
      const next = elements[at + 1]
      if (isPlaceholder(each) && next?.tagName === 'noscript' && isNeeded(next)) replaced.add(each)
    }
  })
  replaceNodes(tree, (node) => {
    if (replaced.has(node)) return []
    if (node.tagName !== 'noscript') return [node]
    if (isNeeded(node)) return node.children ?? []
    gone.push(node)
    return []
  })
}

function namesOf(gone: TreeNode[], tree: TreeNode): string[] {
  if (gone.length === 0) return []
  const shown = ` ${wordsOf(tree)} `
  const addresses = new Set<string>()
  walk(tree, (node) => {
    if (isMedia(node)) addresses.add(addressOf(node))
  })
  return gone.flatMap((node) => {
    const whole: TreeNode = { type: 'root', children: [node] }
    const words = wordsOf(whole)
    if (words !== '' && !shown.includes(` ${words} `)) return [`hidden: ${short(words)}`]
    let lost: string | undefined
    walk(whole, (each) => {
      if (isMedia(each) && !isPixel(each) && addressOf(each) && !addresses.has(addressOf(each)))
        lost = each.tagName
    })
    return lost ? [`hidden: <${lost}>`] : []
  })
}

function wordsOf(root: TreeNode): string {
  const texts: string[] = []
  walk(root, (node) => {
    if (node.type === 'text') texts.push(node.value ?? '')
    else if (node.tagName === 'img') texts.push(String(node.properties?.alt ?? ''))
  })
  return texts.join(' ').match(WORDS)?.join(' ') ?? ''
}

function short(words: string): string {
  return words.length <= MAX_SHOWN_LENGTH ? words : `${words.slice(0, MAX_SHOWN_LENGTH)}…`
}

function hasMedia(node: TreeNode): boolean {
  return isMedia(node) || has(node, isMedia)
}

function has(root: TreeNode, isIt: (node: TreeNode) => boolean): boolean {
  let found = false
  walk(root, (node) => {
    found ||= isIt(node)
  })
  return found
}

function attributesOf({ properties = {} }: TreeNode): Attributes {
  return (name) => {
    const value = properties[name === 'class' ? 'className' : name === 'aria-hidden' ? 'ariaHidden' : name]
    if (value === undefined || value === null || value === false) return undefined
    return Array.isArray(value) ? value.join(' ') : value === true ? '' : String(value)
  }
}
