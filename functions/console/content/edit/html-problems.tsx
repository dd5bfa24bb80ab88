/** Lists broken HTML by line. Browsers repair it silently. */
import { htmlProblems } from '../../../../src/html/problems.ts'

export function HtmlProblems({ html }: { html: string }) {
  const problems = htmlProblems(html)
  if (problems.length === 0) return null
  return (
    <div class="problems" role="status">
      <p>This HTML has errors that each browser repairs differently:</p>
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
