/** Writes alerts as plain text, so that no value of a site or receiver can become markup or a header. */
import type { Config } from '../core/config.ts'
import { webhookHost } from '../webhooks/endpoint.ts'
import type { Alert, ClaimedAlerts } from './alert.ts'

/** The console shows the others. */
const MAX_IN_MESSAGE = 20
const MAX_NAME_LENGTH = 100

export type AlertMessage = { subject: string; text: string; url: string }

export function writeMessage(
  { CONSOLE_URL }: Config,
  site: ClaimedAlerts['site'],
  alerts: Alert[],
): AlertMessage {
  const page = `${withoutSlash(CONSOLE_URL!)}/sites/${site.id}`
  const name = oneLine(site.name)
  const latest = alerts.slice(-MAX_IN_MESSAGE)
  const more = alerts.length - latest.length
  const parts = latest.map((alert) => describe(alert, site.id, page))
  const subject = more + latest.length === 1 ? titleOf(latest[0]!) : `${alerts.length} alerts`
  const before = more > 0 ? [`See the console for ${more} earlier alerts.`] : []
  return {
    subject: `${name}: ${subject}`,
    text: [`Site ${name} (${site.id})`, ...before, ...parts].join('\n\n'),
    url: `${page}/integrations`,
  }
}

export function writeTestMessage({ CONSOLE_URL = '' }: Config): AlertMessage {
  const url = `${withoutSlash(CONSOLE_URL)}/alerts`
  return { subject: 'Test alert', text: `Test alert. Change the targets of alerts here:\n${url}`, url }
}

export function writeServiceMessage({ CONSOLE_URL = '' }: Config, text: string): AlertMessage {
  const url = `${withoutSlash(CONSOLE_URL)}/overview`
  return { subject: 'The service needs attention', text: `${text}\n${url}`, url }
}

const withoutSlash = (url: string) => url.replace(/\/$/, '')

function titleOf({ kind, webhook, quota }: Alert): string {
  if (kind === 'quota') return `${quota!.percent} % of the daily quota used`
  return kind === 'webhook_failing'
    ? `webhook failing: ${oneLine(webhook!.name)}`
    : `webhook works again: ${oneLine(webhook!.name)}`
}

function describe(alert: Alert, siteId: string, page: string): string {
  if (alert.quota) return describeQuota(alert.quota, page)
  const { name, url, failures, since, status, error } = alert.webhook!
  const host = webhookHost(url)
  const webhook = name === host ? `The webhook at ${host}` : `The webhook ${oneLine(name)} at ${host}`
  const isFailing = alert.kind === 'webhook_failing'
  const first = isFailing
    ? `${webhook} has failed ${inARow(failures)} since ${minuteOf(since)}, most recently with ${error === 'bot_check' ? `a bot check that responded with ${status}` : (status ?? error)}.`
    : `${webhook} has worked again since ${minuteOf(alert.createdAt)}. It had failed ${inARow(failures)} since ${minuteOf(since)}.`
  return [
    first,
    ...(error === 'secret_undecryptable' ? [UNDECRYPTABLE] : []),
    `We don't resend failed events automatically. ${isFailing ? 'Once the webhook works again, resend' : 'Resend'} them here:`,
    `${page}/integrations/deliveries?outcome=not_arrived`,
    `or with: npm run -s admin -- event resend ${siteId} --failed-since ${since}`,
  ].join('\n')
}

const UNDECRYPTABLE =
  'Its secret cannot be decrypted, so nothing is sent. Put the key that encrypted it back into WEBHOOK_KEYS, or rotate the secret of the webhook and give the receiver the new one.'

export const QUOTA_SUFFIXES = {
  full: '',
  sitemap: ' of its sitemap-only keys',
  preview: ' of its preview links',
}

function describeQuota(
  { counter, percent, limit, day, key }: NonNullable<Alert['quota']>,
  page: string,
): string {
  const requests = `${limit.toLocaleString('en')} requests${QUOTA_SUFFIXES[counter]}`
  return [
    percent === 100
      ? `The quota of ${requests} is used up for ${day}. Until midnight UTC, more requests get 429.`
      : `${percent} % of the quota of ${requests} is used on ${day}. It resets at midnight UTC.`,
    ...(key ? [`The key "${oneLine(key.name)}" made ${key.requests.toLocaleString('en')} of them.`] : []),
    `${page}/usage`,
  ].join('\n')
}

const inARow = (count: number) => (count === 1 ? 'once' : `${count} times in a row`)

const minuteOf = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** Removes controls, line ends and direction marks, which could start a header or a line. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH - 1).toWellFormed()}…` : plain
}

/** https://docs.slack.dev/messaging/formatting-message-text/#escaping */
export function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
