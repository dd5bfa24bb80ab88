/** Limits of one body in a Worker. The command line has none of them. */
import { checkHtmlSize, checkSize } from '../../convert/limits.ts'

export const checkMarkdown = (text: string) => refuse(() => checkSize(text))
export const checkHtml = (html: string) => refuse(() => checkHtmlSize(html))

function refuse(check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new Error(`${(error as Error).message}: only the command line imports it`)
  }
}
