/** The extent of an element in a stream of tags, whose end tags may be missing. */
import { CLOSED_BY, ENDS_PARAGRAPH, SCOPES } from './nesting.ts'

/** The number of open elements by name. */
export type OpenTags = Map<string, number>

export function count(open: OpenTags, name: string, step: 1 | -1): void {
  open.set(name, Math.max(0, (open.get(name) ?? 0) + step))
}

export function isOpen(open: OpenTags, name: string): boolean {
  return (open.get(name) ?? 0) > 0
}

/** From the start tag of a root to its end. `all` has the open tags of the whole page. */
export function trackElement(all: OpenTags) {
  let root: string | null = null
  let inside: OpenTags = new Map()
  const hasOpen = (names: Set<string>) => [...names].some((name) => isOpen(inside, name))

  return {
    isInside: () => root !== null,
    /** Call before each start tag, which may end the root. */
    endBefore(name: string): void {
      if (root === null) return
      const { ended, within } = CLOSED_BY[name] ?? {}
      const isEnded = ended?.has(root) && !hasOpen(within!)
      const isParagraph = root === 'p' && ENDS_PARAGRAPH.has(name) && !hasOpen(SCOPES)
      if (isEnded || isParagraph) root = null
    },
    start(name: string, isRoot: boolean): void {
      if (root === null && isRoot) {
        root = name
        inside = new Map()
      }
      if (root !== null) count(inside, name, 1)
    },
    /** Call before `all` counts the end tag. */
    end(name: string): void {
      if (root === null) return
      const isOwn = isOpen(inside, name)
      if (isOwn) count(inside, name, -1)
      // Otherwise it ends an element around the root.
      if (isOwn ? name === root && !isOpen(inside, name) : isOpen(all, name)) root = null
    },
  }
}
