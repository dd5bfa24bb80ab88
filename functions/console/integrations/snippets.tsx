import { assetText } from '../../http/assets.ts'
import type { Http } from '../../http/env.ts'
import { Snippet } from '../parts/copy.tsx'
import { Section } from '../parts/page.tsx'
import { DocsLink } from '../parts/site-link.tsx'

const LANGUAGES = [
  { name: 'Node', file: 'verify.mjs' },
  { name: 'Python', file: 'verify.py' },
  { name: 'PHP', file: 'verify.php' },
  { name: 'Go', file: 'verify.go' },
  { name: 'Ruby', file: 'verify.rb' },
]

export async function readSnippets(c: Http) {
  return Promise.all(
    LANGUAGES.map(async ({ name, file }) => ({
      name,
      file,
      text: await assetText(c, `/console/snippets/${file}`),
    })),
  )
}

export function Snippets({ snippets }: { snippets: Awaited<ReturnType<typeof readSnippets>> }) {
  return (
    <Section
      id="code"
      title="Code that verifies"
      lead={<DocsLink to="webhooks">Which headers to verify</DocsLink>}
    >
      <div class="folds">
        {snippets.map(({ name, file, text }, at) => (
          <details open={at === 0}>
            <summary>{name}</summary>
            <Snippet title={file} text={text.trimEnd()} />
          </details>
        ))}
      </div>
    </Section>
  )
}
