/** Warns of broken HTML in an article, line by line. Browsers repair it in silence. */
import { htmlProblems } from '../../../../src/html/problems.ts'

export function HtmlProblems({ html }: { html: string }) {
  const problems = htmlProblems(html)
  if (problems.length === 0) return null
  return (
    <div class="problems" role="status">
      <p>Browsers repair this HTML, each in its way:</p>
      <ul>
        {problems.map(({ line, message }) => (
          <li>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
