/** Warnings about typed HTML: errors by line, which browsers repair silently, and what saving asks about. */
import { codeIn } from '../../../../src/html/code.ts'
import { htmlProblems } from '../../../../src/html/problems.ts'
import { htmlToText } from '../../../../src/html/text.ts'

/** `leftOut` names the parts of Markdown that its HTML does not have. */
export function HtmlProblems({ html, leftOut = [] }: { html: string; leftOut?: string[] }) {
  const problems = htmlProblems(html)
  if (problems.length + leftOut.length === 0) return null
  return (
    <div class="problems" role="status">
      {leftOut.length > 0 && <p>{leavesOut(leftOut)}</p>}
      {problems.length > 0 && (
        <>
          <p>This HTML has errors that each browser repairs differently:</p>
          <ul>
            {problems.map(({ line, message }) => (
              <li>
                Line {line}: {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** Reasons to ask before the content is saved or published. */
export function contentWarnings(html: string): string[] {
  const code = codeIn(html)
  const runsCode = code.length > 0 && `The content can run code or lead readers away: ${listNames(code)}.`
  return [isEmpty(html) && 'The content is empty.', runsCode].filter((warning) => warning !== false)
}

const isEmpty = (html: string) =>
  htmlToText(html).text === '' && !/<(?:audio|embed|iframe|img|math|object|svg|video)\b/i.test(html)

export const leavesOut = (names: string[]) => `Saving leaves out ${listNames(names)}.`

const SHOWN_NAMES = 8

export function listNames(names: string[]): string {
  const hidden = names.length - SHOWN_NAMES
  return names.slice(0, SHOWN_NAMES).join(', ') + (hidden > 0 ? ` and ${hidden} more` : '')
}
