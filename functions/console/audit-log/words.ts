/** The texts of the audit log. `sentence.ts` fills in the placeholders, and puts the person in front. */
import type { AuditAction } from '../../../src/people/audit-actions.ts'

/** The options of the filter, in its order. `name` stands for a resource without a name. */
export const NOUNS: Record<string, { name: string; title: string }> = {
  post: { name: 'a post', title: 'Posts' },
  guide: { name: 'a guide', title: 'Guides' },
  redirect: { name: 'a redirect', title: 'Redirects' },
  training: { name: 'a training row', title: 'Training rows' },
  event: { name: 'an event', title: 'Events' },
  webhook: { name: 'a webhook', title: 'Webhooks' },
  key: { name: 'a key', title: 'Keys' },
  preview_link: { name: 'a post', title: 'Preview links' },
  sitemap: { name: 'a site', title: 'Sitemaps' },
  site: { name: 'a site', title: 'Sites' },
  alerts: { name: 'the alerts', title: 'Alerts' },
  operator: { name: 'a person', title: 'People' },
  token: { name: 'a person', title: 'Access tokens' },
  link: { name: 'a person', title: 'Sign-in links' },
}

export const OF_WORKSPACE = ['alerts', 'operator', 'token', 'link']

/** One entry, and many of a changeset: `{n post}` is a number of posts. */
export const SENTENCES: Record<AuditAction, [one: string, many: string]> = {
  'post.created': ['created “{title}”', 'created {n post}'],
  'post.updated': ['edited “{title}”', 'edited {n post}'],
  'post.renamed': ['changed the slug of “{title}” from {from} to {to}', 'changed the slug of {n post}'],
  'post.published': ['published “{title}”', 'published {n post}'],
  'post.unpublished': ['unpublished “{title}”', 'unpublished {n post}'],
  'post.deleted': ['deleted the post “{title}”', 'deleted {n post}'],
  'post.marked_ready': ['marked “{title}” ready', 'marked {n post} ready'],
  'post.changes_requested': ['requested changes to “{title}”', 'requested changes to {n post}'],
  'post.changes_resolved': ['resolved the change request for “{title}”', 'resolved {n change request}'],
  'post.scheduled': ['scheduled “{title}” for {publishAt}', 'scheduled {n post}'],
  'post.schedule_cancelled': ['cancelled the schedule of “{title}”', 'cancelled {n schedule}'],
  'post.rebuilt': ['rebuilt the schema bundle of “{title}”', 'rebuilt the schema bundle of {n post}'],
  'guide.created': ['created the guide “{title}”', 'created {n guide}'],
  'guide.updated': ['edited the guide “{title}”', 'edited {n guide}'],
  'guide.renamed': [
    'changed the slug of the guide “{title}” from {from} to {to}',
    'changed the slug of {n guide}',
  ],
  'guide.published': ['published the guide “{title}”', 'published {n guide}'],
  'guide.unpublished': ['unpublished the guide “{title}”', 'unpublished {n guide}'],
  'guide.deleted': ['deleted the guide “{title}”', 'deleted {n guide}'],
  'redirect.created': ['redirected {subject} to {target}', 'added {n redirect}'],
  'redirect.updated': ['redirected {subject} to {target} instead', 'changed {n redirect}'],
  'redirect.deleted': ['removed the redirect from {subject}', 'removed {n redirect}'],
  'training.added': ['added {rows}', 'added training rows {n time}'],
  'training.deleted': ['deleted {rows}', 'deleted training rows {n time}'],
  'training.opted_in': ['opted a training row in', 'opted {n training row} in'],
  'training.opted_out': ['opted a training row out', 'opted {n training row} out'],
  'event.resent': ['resent an event of “{title}”', 'resent {n event}'],
  'event.resend_started': ['started resending {events}{receiver}', 'started {n resend}'],
  'event.resend_finished': ['finished resending failed events{receiver}: {result}', 'finished {n resend}'],
  'event.resend_stopped': ['stopped resending failed events{receiver}: {result}', 'stopped {n resend}'],
  'event.resend_broken_off': [
    'had a resend of failed events end, because its webhook was removed: {result}',
    'had {n resend} end',
  ],
  'webhook.created': ['added the webhook “{subject}”', 'added {n webhook}'],
  'webhook.updated': ['{change} of the webhook “{subject}”{values}', 'changed {n webhook}'],
  'webhook.deleted': ['removed the webhook “{subject}”', 'removed {n webhook}'],
  'webhook.secret_rotated': [
    'rotated the secret of the webhook “{subject}”',
    'rotated the secret of {n webhook}',
  ],
  'webhook.tested': ['sent a test event to “{subject}”', 'sent {n test event}'],
  'key.created': ['created the key “{subject}”', 'created {n key}'],
  'key.updated': ['{change} of the key “{subject}”{values}', 'changed {n key}'],
  'key.revoked': ['revoked the key “{subject}”', 'revoked {n key}'],
  'key.deleted': ['deleted the key “{subject}”', 'deleted {n key}'],
  'preview_link.created': ['created a preview link to “{title}”', 'created {n preview link}'],
  'preview_link.updated': ['{change} of a preview link to “{title}”{values}', 'changed {n preview link}'],
  'preview_link.revoked': ['revoked a preview link to “{title}”', 'revoked {n preview link}'],
  'preview_link.deleted': ['deleted a preview link to “{title}”', 'deleted {n preview link}'],
  'sitemap.published': ['published the sitemap of {subject}', 'published {n sitemap}'],
  'sitemap.renewed': ['gave the sitemap of {subject} a new URL', 'gave {n sitemap} a new URL'],
  'sitemap.unpublished': ['unpublished the sitemap of {subject}', 'unpublished {n sitemap}'],
  'site.created': ['created the site {subject}', 'created {n site}'],
  'site.updated': ['{change} of {subject}{values}', 'changed {n site}'],
  'site.deletion_started': ['started deleting the site {subject}', 'started deleting {n site}'],
  'site.deleted': ['deleted the site {subject}', 'deleted {n site}'],
  'alerts.created': ['{change} of the alerts', 'changed the alerts {n time}'],
  'alerts.updated': ['{change} of the alerts', 'changed the alerts {n time}'],
  'alerts.deleted': ['reset the alerts', 'reset the alerts {n time}'],
  'operator.created': ['added {subject} as {role}', 'added {n person/people}'],
  'operator.updated': ['{change} of {subject}', 'changed {n person/people}'],
  'operator.deleted': ['removed {subject}', 'removed {n person/people}'],
  'operator.erased': ['erased the name of {subject}', 'erased {n name}'],
  'operator.signed_in': ['signed in', 'signed in {n time}'],
  'operator.signed_out': ['signed out', 'signed out {n time}'],
  'operator.session_ended': ['ended a session of {subject}', 'ended {n session}'],
  'operator.sign_in_failed': ['failed to sign in', 'failed to sign in {n time}'],
  'operator.refused': ['was not allowed to change {path}', 'was not allowed to make {n change}'],
  'token.created': ['gave {person} a token', 'created {n token}'],
  'token.updated': ['{change} of {whose} token{values}', 'changed {n token}'],
  'token.revoked': ['revoked {whose} token', 'revoked {n token}'],
  'token.deleted': ['deleted {whose} token', 'deleted {n token}'],
  'link.created': ['gave {person} a sign-in link', 'created {n sign-in link}'],
  'link.updated': ['{change} of {whose} sign-in link{values}', 'changed {n sign-in link}'],
  'link.used': ['signed in with a link', 'signed in with {n link}'],
  'link.revoked': ['revoked {whose} sign-in link', 'revoked {n sign-in link}'],
  'link.deleted': ['deleted {whose} sign-in link', 'deleted {n sign-in link}'],
}

/** In a changeset with other entries, which has no values of this one. */
export const SHORT: Record<string, string> = {
  'operator.created': 'added {subject}',
  'operator.updated': 'changed {subject}',
  'site.updated': 'changed {subject}',
  'key.updated': 'changed the key “{subject}”',
  'webhook.updated': 'changed the webhook “{subject}”',
  'event.resend_finished': 'finished resending failed events{receiver}',
  'event.resend_stopped': 'stopped resending failed events{receiver}',
}

/** In a changeset, the second action implies the first. */
export const STEPS_OF: Record<string, string[]> = {
  'site.deletion_started': ['site.deleted'],
  'operator.signed_in': ['link.used'],
  'event.resend_started': ['event.resend_finished', 'event.resend_stopped', 'event.resend_broken_off'],
}

/** Fields that also change when one of these does. */
export const DERIVED: Record<string, string[]> = {
  excerpt: ['contentHtml'],
  seo: ['contentHtml', 'excerpt', 'tags'],
}

/** Instead of `one`, for an entry with this field, or for an update of this field alone: `action field`, or `action field value`. */
export const SPECIFIC: Record<string, string> = {
  'post.updated fields': 'edited {fields} of “{title}”',
  'guide.updated fields': 'edited {fields} of the guide “{title}”',
  'site.updated name': 'renamed the site {from} to {to}',
  'site.updated trainingOptIn true': 'turned on the training export of {subject}',
  'site.updated trainingOptIn false': 'turned off the training export of {subject}',
  'key.updated name': 'renamed the key “{from}” to “{to}”',
  'operator.updated name': 'renamed {from} to {to}',
  'operator.updated role': 'made {subject} {role}',
  'operator.updated sites': 'limited {subject} to {sites}',
  'operator.updated sites nothing': 'gave {subject} access to all sites',
  'operator.created sites': 'added {subject} as {role} of {sites}',
  'operator.refused GET': 'was not allowed to open {path}',
  'event.resent test': 'resent a test event{receiver}',
  'link.created sentTo': 'emailed {person} a sign-in link',
}

/** `{change}` of an update, by the values that it has. */
export const CHANGES = {
  changed: { change: 'changed {fields}', values: ' from {from} to {to}' },
  set: { change: 'set {fields}', values: ' to {to}' },
  removed: { change: 'removed {fields}', values: '' },
  several: { change: 'changed {fields}', values: '' },
}

/** `{result}` of a resend, from the fields of its last entry. */
export const RESULTS: Record<string, string> = {
  arrived: 'delivered',
  failed: 'failed',
  beingSent: 'being sent',
  notSent: 'not sent',
}

export const ROLES: Record<string, string> = { viewer: 'a viewer', editor: 'an editor', admin: 'an admin' }

/** Names of fields in a sentence. Others have the label of their form. */
export const FIELDS: Record<string, string> = {
  afterFailures: 'number of failures',
  dailyQuota: 'daily quota',
  expiresAt: 'expiry',
  emailTo: 'recipients',
  faqJsonLd: 'FAQ',
  keyHash: 'secret',
  seo: 'SEO',
  siteId: 'site',
  slackSetAt: 'Slack URL',
  sourcePostId: 'source slug',
  tokenHash: 'secret',
  trainingOptIn: 'training export',
}

/** Steps of a refused path that the console has other words for. */
export const STEPS: Record<string, string> = { operators: 'people' }
