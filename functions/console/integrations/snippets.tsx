/** Code that verifies a delivery, in several languages. */
import { Snippet } from '../parts/copy.tsx'
import go from './snippets/verify.go?raw'
import node from './snippets/verify.mjs?raw'
import php from './snippets/verify.php?raw'
import python from './snippets/verify.py?raw'
import ruby from './snippets/verify.rb?raw'

const LANGUAGES = [
  { name: 'Node', file: 'verify.mjs', text: node },
  { name: 'Python', file: 'verify.py', text: python },
  { name: 'PHP', file: 'verify.php', text: php },
  { name: 'Go', file: 'verify.go', text: go },
  { name: 'Ruby', file: 'verify.rb', text: ruby },
]

export function Snippets() {
  return (
    <div class="languages">
      {LANGUAGES.map(({ name, file, text }) => (
        <details>
          <summary>{name}</summary>
          <Snippet title={file} text={text.trimEnd()} />
        </details>
      ))}
      <p class="muted">
        The <code>webhook-*</code> headers follow Standard Webhooks, so its libraries verify them too.
      </p>
    </div>
  )
}
