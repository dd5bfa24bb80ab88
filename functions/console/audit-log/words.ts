/**
 * The words of audit log entries. A new action needs no words here if its name has them: `post.published` is "Published post",
 * and of many "Published 12 posts".
 */

type Noun = { name: string; names: string; title: string }

const named = (name: string, title = `${name.charAt(0).toUpperCase()}${name.slice(1)}s`): Noun => ({
  name,
  names: `${name}s`,
  title,
})

/** In the order of the filter. `title`: what all entries of the noun are called there. */
export const NOUNS: Record<string, Noun> = {
  post: named('post'),
  guide: named('guide'),
  redirect: named('redirect'),
  training: { name: 'training row', names: 'training rows', title: 'Training rows' },
  event: named('event'),
  webhook: named('webhook'),
  key: named('key'),
  preview_link: named('preview link'),
  sitemap: named('sitemap'),
  site: named('site'),
  operator: { name: 'person', names: 'people', title: 'People' },
  token: named('token', 'Tokens of people'),
  link: named('sign-in link'),
}

/** Nouns that belong to no site. */
export const OF_WORKSPACE = ['operator', 'token', 'link']

/** Words for one, and for many with `#` for their number. */
const PHRASES: Record<string, [one: string, many: string]> = {
  'site.deletion_started': ['Began to delete the site', 'Began to delete # sites'],
  'operator.signed_in': ['Signed in to the console', 'Signed in to the console # times'],
  'operator.signed_out': ['Signed out of the console', 'Signed out of the console # times'],
  'operator.session_ended': ['Ended a session of a person', 'Ended # sessions'],
  'operator.sign_in_failed': ['Failed to sign in', 'Failed to sign in # times'],
  'operator.refused': ['Was refused a write', 'Was refused # writes'],
  'link.created': ['Created a sign-in link', 'Created # sign-in links'],
  'link.used': ['Signed in with a link', 'Signed in with # links'],
  'link.revoked': ['Revoked a sign-in link', 'Revoked # sign-in links'],
  'webhook.tested': ['Sent a test event', 'Sent # test events'],
  'webhook.secret_rotated': ["Rotated the webhook's secret", 'Rotated the secrets of # webhooks'],
  'event.resent': ['Sent an event again', 'Sent # events again'],
  'event.resend_started': [
    'Began to send again all that failed',
    'Began # times to send again all that failed',
  ],
  'event.resend_finished': ['Sent again all that failed', 'Sent again # times all that failed'],
  'event.resend_stopped': [
    'Stopped sending again all that failed',
    'Stopped # times sending again all that failed',
  ],
  'event.resend_broken_off': [
    'Broke off sending again all that failed',
    'Broke off # times sending again all that failed',
  ],
  'post.scheduled': ['Scheduled a post', 'Scheduled # posts'],
  'post.schedule_cancelled': ['Cancelled the schedule of a post', 'Cancelled the schedules of # posts'],
  'post.changes_requested': ['Requested changes of a post', 'Requested changes of # posts'],
  'post.changes_resolved': [
    'Resolved the change request of a post',
    'Resolved the change requests of # posts',
  ],
  'post.rebuilt': ['Rebuilt the schema bundle of a post', 'Rebuilt the schema bundles of # posts'],
  'post.marked_ready': ['Marked a post ready', 'Marked # posts ready'],
  'training.added': ['Added training rows', 'Added training rows # times'],
  'training.deleted': ['Deleted training rows', 'Deleted training rows # times'],
  'training.opted_in': ['Opted a training row in', 'Opted # training rows in'],
  'training.opted_out': ['Opted a training row out', 'Opted # training rows out'],
}

/** The kinds of writes that one request made most of. */
const MAX_KINDS = 3

/** `Revoked key` for `key.revoked`. */
export function describeAction(action: string, count = 1): string {
  const [noun = '', verb = ''] = action.split('.')
  const words = Object.hasOwn(NOUNS, noun) ? NOUNS[noun]! : named(noun.replaceAll('_', ' '))
  const [one, many] = Object.hasOwn(PHRASES, action)
    ? PHRASES[action]!
    : [`${verb.replaceAll('_', ' ')} ${words.name}`, `${verb.replaceAll('_', ' ')} # ${words.names}`]
  const said = count === 1 ? one : many.replace('#', count.toLocaleString('en'))
  return said.charAt(0).toUpperCase() + said.slice(1)
}

/** `Rebuilt 1,054 posts`, `Created 12 posts, updated 3 posts`. */
export function describeAct(actions: Record<string, number>): string {
  const kinds = Object.entries(actions).sort(([, a], [, b]) => b - a)
  const said = kinds.slice(0, MAX_KINDS).map(([action, count], index) => {
    const words = describeAction(action, count)
    return index === 0 ? words : words.charAt(0).toLowerCase() + words.slice(1)
  })
  return said.join(', ') + (kinds.length > MAX_KINDS ? ', and more' : '')
}
