/** For a site without posts. */
import type { Role } from '../../../src/core/actor.ts'
import { Section } from '../parts/heading.tsx'
import { ButtonLink } from '../parts/site-link.tsx'

type Step = { title: string; text: string; button: string; to: string; needs: Role }

const STEPS: Step[] = [
  {
    title: 'Write',
    text: 'Markdown or HTML, with a preview.',
    button: 'New post',
    to: '/content/new/posts',
    needs: 'editor',
  },
  {
    title: 'Import',
    text: 'From Markdown, WordPress, Ghost or another site.',
    button: 'Import',
    to: '/settings/transfer',
    needs: 'editor',
  },
  {
    title: 'Read',
    text: 'Programs read the content with a key.',
    button: 'New key',
    to: '/keys/new',
    needs: 'admin',
  },
  {
    title: 'Notify',
    text: 'A webhook tells your CMS when a draft is ready.',
    button: 'Set webhook',
    to: '/integrations/webhook',
    needs: 'admin',
  },
]

export function FirstSteps() {
  return (
    <Section id="first-steps" title="First steps">
      <div class="tiles plain">
        {STEPS.map(({ title, text, button, to, needs }) => (
          <section class="tile">
            <h3>{title}</h3>
            <p class="muted">{text}</p>
            <div class="actions">
              <ButtonLink needs={needs} to={to} text={button} />
            </div>
          </section>
        ))}
      </div>
    </Section>
  )
}
