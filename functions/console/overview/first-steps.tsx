/** For a site without posts. */
import type { Role } from '../../../src/core/actor.ts'
import { Section } from '../parts/page.tsx'
import { useAllowed } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'

type Button = { text: string; to: string; needs: Role; look?: 'primary' }
type Step = { title: string; text: string; buttons: Button[] }

const STEPS: Step[] = [
  {
    title: 'Write or import',
    text: 'Write in Markdown or HTML, or import from Markdown, WordPress or Ghost.',
    buttons: [
      { text: 'New post', to: '/content/new/posts', needs: 'editor', look: 'primary' },
      { text: 'Import', to: '/settings/transfer', needs: 'editor' },
    ],
  },
  {
    title: 'Read',
    text: 'Read the content with an API key.',
    buttons: [{ text: 'New key', to: '/keys/new', needs: 'admin' }],
  },
  {
    title: 'Notify',
    text: 'A webhook notifies your CMS when a draft is ready.',
    buttons: [{ text: 'Add webhook', to: '/integrations/webhook', needs: 'admin' }],
  },
]

export function FirstSteps() {
  const steps = STEPS.filter(({ buttons }) => buttons.some(({ needs }) => useAllowed(needs)))
  if (steps.length === 0) return <p class="muted">No posts yet. An editor can write or import them.</p>
  return (
    <Section id="first-steps" title="First steps">
      <div class="tiles plain">
        {steps.map(({ title, text, buttons }, at) => (
          <section class="tile box">
            <h3>
              {at + 1}. {title}
            </h3>
            <p class="muted">{text}</p>
            <div class="actions">
              {buttons.map((button) => (
                <ButtonLink {...button} />
              ))}
            </div>
          </section>
        ))}
      </div>
    </Section>
  )
}
