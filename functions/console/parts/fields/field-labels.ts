/** Field labels outside of forms. A test in answers.test.ts compares them with the forms. */
import { EDITABLES } from '../../content/edit/controls.ts'

/** Labels that differ from the field name. */
const LABELS: Record<string, string> = {
  aiGenerated: 'AI-generated',
  afterFailures: 'Failures in a row before an alert',
  dailyQuota: 'Custom daily quota',
  email: 'Email the link to',
  emailTo: 'Email',
  expiresAt: 'Expires',
  faqJsonLd: 'FAQ',
  feedContent: 'Feeds',
  id: 'Event ID',
  lastFour: 'Ends with',
  previewUrl: 'Preview URL',
  slackUrl: 'Slack',
  trainingOptIn: 'Allow the training export',
  url: 'URL',
  webhookId: 'Webhook',
}

const EDITED = new Map(EDITABLES.posts.map(({ name, control }) => [name, control.label]))

/** `Default language` for `defaultLanguage`. Names of events stay unchanged. */
export function labelOf(name: string): string {
  if (Object.hasOwn(LABELS, name)) return LABELS[name]!
  if (EDITED.has(name)) return EDITED.get(name)!
  if (name.includes('.')) return name
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
