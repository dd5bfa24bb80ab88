/** What is wrong with the HTML of an article, line by line: a warning, since browsers repair it. */
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
