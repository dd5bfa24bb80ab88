/** Converts MDX to the HTML of a body. Apart from Markdown, so that only an import loads a parser of JavaScript. */
import rehypeRaw from 'rehype-raw'
import remarkGfm from 'remark-gfm'
import remarkMdx from 'remark-mdx'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { asidesOfAlerts, readContainers } from '../../convert/alerts.ts'
import { codeLanguages } from '../../convert/code-languages.ts'
import {
  asBody,
  convertWith,
  type Format,
  type Options,
  withoutHidden,
  withoutPositions,
} from '../../convert/convert.ts'
import { headingIds } from '../../convert/dialects.ts'
import { autolinkWhereNeeded } from '../../convert/gfm.ts'
import { limitTree } from '../../convert/limits.ts'
import { asMdx, plainMdx } from './mdx.ts'

const MDX: Format = {
  processor: unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(autolinkWhereNeeded)
    .use(readContainers)
    .use(remarkMdx)
    .use(limitTree)
    .use(plainMdx)
    .use(headingIds)
    .use(asidesOfAlerts)
    .use(codeLanguages)
    .use(withoutPositions)
    .use(remarkRehype)
    .use(rehypeRaw)
    .use(withoutHidden)
    .use(asBody)
    .freeze() as unknown as Format['processor'],
  made: new Map(),
  prepare: asMdx,
  // Braces are expressions.
  hasShortcodes: false,
}

/** @throws Error with a one-line reason */
export const convertMdx = (written: string, options: Options) => convertWith(MDX, written, options)
