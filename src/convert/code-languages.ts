/** Finds the language of a code block among the options of VitePress, Gatsby, Zenn, HackMD, pandoc, R and MyST. */
import { notesOf } from './notes.ts'
import { type TreeNode, walk } from './tree.ts'

const LEFT_OUT = 'options of a code block are left out'
const DIRECTIVE = /^\{(?:code-block|code-cell|code|sourcecode|highlight)\}[ \t]+([\w+#.-]+)/
const IN_BRACES = /^\{(?:[ \t]*|=|[^}]*?\.)(?![\w-]+[ \t]*[:=])([A-Za-z][\w+#-]*)/
const NAME = /^\.?([A-Za-z][\w+#./-]*?)(?=[{:,[=!|(;]|$)/
/** `title="a.js"`, but not HackMD's `js=12`. */
const ATTRIBUTE = /^[\w-]+=(?!\d*$)/

/** Generators that read the language from the first line of a block (https://python-markdown.github.io/extensions/code_hilite/). */
const PYTHON = new Set(['mkdocs', 'pelican'])
const FIRST_LINE = /^(?::{3,}|#!)(?<path>\/\S*\/)?(?<language>[\w+#-]+)(?:[ \t].*)?(?:\n|$)/

export function codeLanguages() {
  return (tree: TreeNode, file: Parameters<typeof notesOf>[0]): void => {
    walk(tree, (node) => {
      if (node.type !== 'code') return
      if (!node.lang && PYTHON.has(notesOf(file).generator ?? '')) readFirstLine(node)
      if (!node.lang) return
      const info = node.meta ? `${node.lang} ${node.meta}` : node.lang
      node.lang = languageOf(info) ?? null
      if (info === node.lang) return
      const notes = notesOf(file)
      notes.losses ??= new Map()
      notes.losses.set(`${LEFT_OUT} ${info}`, { reason: LEFT_OUT, detail: info })
    })
  }
}

function readFirstLine(node: TreeNode): void {
  const [line = ''] = FIRST_LINE.exec(node.value ?? '') ?? []
  const { path, language } = FIRST_LINE.exec(node.value ?? '')?.groups ?? {}
  if (language === undefined) return
  node.lang = language
  if (path === undefined) node.value = node.value?.slice(line.length) ?? ''
}

function languageOf(info: string): string | undefined {
  if (info.startsWith('{')) return (DIRECTIVE.exec(info) ?? IN_BRACES.exec(info))?.[1]
  const [word = ''] = info.split(/\s/, 1)
  return ATTRIBUTE.test(word) ? undefined : NAME.exec(word)?.[1]
}
