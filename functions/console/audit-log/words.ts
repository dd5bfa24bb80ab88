/**
 * The texts of audit log entries. Most come from the name of the action: `post.published` reads "Published post" or "Published 12
 * posts".
 */

type Noun = { name: string; names: string; title: string }

const named = (name: string, title = `${name.charAt(0).toUpperCase()}${name.slice(1)}s`): Noun => ({
  name,
  names: `${name}s`,
  title,
})

/** In the order of the filter. `title` is the text of the option. */
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
  token: named('token', 'Access tokens'),
  link: named('sign-in link'),
}

export const OF_WORKSPACE = ['operator', 'token', 'link']

/** Singular, and plural with `#` for the count. */
const PHRASES: Record<string, [one: string, many: string]> = {
  'site.deletion_started': ['Started deleting the site', 'Started deleting # sites'],
  'operator.signed_in': ['Signed in to the console', 'Signed in to the console # times'],
  'operator.signed_out': ['Signed out of the console', 'Signed out of the console # times'],
  'operator.session_ended': ["Ended a person's session", 'Ended # sessions'],
  'operator.sign_in_failed': ['Failed to sign in', 'Failed to sign in # times'],
  'operator.refused': ['Tried a write that was refused', 'Tried # writes that were refused'],
  'link.created': ['Created a sign-in link', 'Created # sign-in links'],
  'link.used': ['Signed in with a link', 'Signed in with # links'],
  'link.revoked': ['Revoked a sign-in link', 'Revoked # sign-in links'],
  'webhook.tested': ['Sent a test event', 'Sent # test events'],
  'webhook.secret_rotated': ["Rotated the webhook's secret", 'Rotated the secrets of # webhooks'],
  'event.resent': ['Resent an event', 'Resent # events'],
  'event.resend_started': ['Started resending failed events', 'Started resending failed events # times'],
  'event.resend_finished': ['Finished resending failed events', 'Finished resending failed events # times'],
  'event.resend_stopped': ['Stopped resending failed events', 'Stopped resending failed events # times'],
  'event.resend_broken_off': ['Aborted resending failed events', 'Aborted resending failed events # times'],
  'post.scheduled': ['Scheduled a post', 'Scheduled # posts'],
  'post.schedule_cancelled': ['Cancelled the schedule of a post', 'Cancelled the schedules of # posts'],
  'post.changes_requested': ['Requested changes to a post', 'Requested changes to # posts'],
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

/** At most this many actions describe a request, the most frequent first. */
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
export function describeChangeset(actions: Record<string, number>): string {
  const kinds = Object.entries(actions).sort(([, a], [, b]) => b - a)
  const said = kinds.slice(0, MAX_KINDS).map(([action, count], index) => {
    const words = describeAction(action, count)
    return index === 0 ? words : words.charAt(0).toLowerCase() + words.slice(1)
  })
  return said.join(', ') + (kinds.length > MAX_KINDS ? ', and more' : '')
}
