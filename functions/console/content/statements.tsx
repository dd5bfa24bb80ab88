/** What a post says about itself beside its text: for search engines, as questions, and where it has it from. */
import type { Post } from '../../../src/posts/post.ts'
import { parseInstant } from '../../../src/time.ts'
import { Facts } from '../parts/facts.tsx'
import { Section } from '../parts/heading.tsx'
import { Time } from '../parts/time.tsx'

export function Seo({ seo }: { seo: Post['seo'] }) {
  if (!seo) return null
  return (
    <Section id="seo" title="SEO">
      <Facts
        facts={[
          ['Description', seo.metaDescription],
          ['Social title', seo.ogTitle],
          ['Social text', seo.ogDescription],
          ['Keywords', seo.keywords?.join(', ')],
        ]}
      />
    </Section>
  )
}

type Question = { name?: unknown; acceptedAnswer?: { text?: unknown } }

/** The questions of a schema.org FAQPage; what is no such page is in the JSON alone. */
export function Faq({ faq }: { faq: Post['faqJsonLd'] }) {
  if (!faq) return null
  const entries = [faq.mainEntity].flat().filter((entry) => typeof entry === 'object' && entry !== null)
  const questions = (entries as Question[]).filter(({ name }) => typeof name === 'string')
  return (
    <Section id="faq" title="Questions and answers">
      {questions.length > 0 ? (
        <dl class="faq">
          {questions.map(({ name, acceptedAnswer }) => (
            <div>
              <dt>{String(name)}</dt>
              <dd>{typeof acceptedAnswer?.text === 'string' ? acceptedAnswer.text : 'No answer.'}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p class="muted">The FAQ has no questions of a schema.org FAQPage; the JSON shows what it has.</p>
      )}
    </Section>
  )
}

export function Sources({ provenance }: { provenance: Post['provenance'] }) {
  if (!provenance) return null
  const { sources, generatedBy } = provenance
  return (
    <Section id="provenance" title="Provenance" lead={generatedBy && `Made by ${generatedBy}.`}>
      {sources.length > 0 ? (
        <ol class="sources">
          {sources.map(({ url, title, publisher, retrievedAt, claims = [] }) => (
            <li>
              <p>
                <SourceLink url={url} text={title || url} />
              </p>
              <p class="muted">
                {publisher && `${publisher} · `}
                {URL.canParse(url) ? new URL(url).hostname : url}
                {retrievedAt && (
                  <> · retrieved {parseInstant(retrievedAt) ? <Time at={retrievedAt} /> : retrievedAt}</>
                )}
              </p>
              {claims.length > 0 && (
                <ul>
                  {claims.map((claim) => (
                    <li>{claim}</li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ol>
      ) : (
        <p class="muted">No sources are named.</p>
      )}
    </Section>
  )
}

/** A source may have an address of any scheme, and not all of them are for a click. */
function SourceLink({ url, text }: { url: string; text: string }) {
  if (!/^https?:/i.test(url)) return <>{text}</>
  return (
    <a href={url} rel="noreferrer">
      {text}
    </a>
  )
}
